"""A week of a cluster, in which each day brings one change or fault."""

import contextlib
import shutil
import time

from exercises.changes import Changes
from exercises.rotation import Rotation
from exercises.runaway import Runaway
from exercises.waiting import Failure, report
from exercises.watch import PROCESS_KILLED, SERVER_KILLED


class Week:
    # A day takes some minutes, so alerts count events in a tenth of the windows of the shipped rules.
    WINDOW_DIVISOR = 10
    SETTINGS = {
        "coordinator": {
            # Short leases.
            "rss.coordinator.app.expired": "20s",
            "rss.coordinator.server.forget.after": "2m",
        },
        "server": {
            # Shuffles are small, and nearly all of their data must be on disks.
            "rss.server.memory.shuffle.highWaterMark.percentage": "1",
            "rss.server.memory.shuffle.lowWaterMark.percentage": "0",
            # Another program that fills the disk of this machine is not a fault of the week.
            "rss.server.disk.capacity": "4g",
            "rss.server.health.check.interval.ms": "1s",
        },
    }
    # MiB on all servers that a lost disk has a part of, beside the data of the queries.
    ARCHIVED_MIB = 64

    def __init__(self, cluster, watch, load, note, days, program):
        """
        note: called with each line of the summary
        days: numbers of the days to run
        program: the command `sluice` of the version to which the first day upgrades the cluster
        """
        self.cluster = cluster
        self.watch = watch
        self.load = load
        self.note = note
        self.days = days
        self.program = program
        self.changes = Changes(cluster, watch, load)
        self.until = load.until

    def run(self):
        # Title, action, and whether it loses data, so that map tasks run again.
        days = {
            1: ("rolling upgrade", self.upgrade, False),
            2: ("lost disk", self.lose_disk, True),
            3: ("lost machine", self.lose_machine, True),
            4: ("scale out and in", self.scale, False),
            5: ("rotation", self.rotate, False),
            6: ("runaway application", self.run_away, False),
            7: ("coordinators", self.change_coordinators, False),
        }
        self.load.thread.start()
        for number in self.days:
            self.day(number, *days[number])
        self.watch.begin()
        queries = self.load.join()
        self.watch.check(set())
        self.note(f"queries: {queries}; {self.watch.pushed()}")

    def day(self, number, title, action, loses_data):
        """Runs an action, which returns a description and the alerts that must fire. No others may, and all must be
        resolved at the end."""
        self.load.await_queries()
        report(f"day {number}: {title}")
        since = time.monotonic()
        failures = self.load.fetch_failures()
        self.watch.begin()
        description, expected = action()
        self.watch.await_resolved(self.until)
        alerts = self.watch.check(expected)
        failures = self.load.fetch_failures() - failures
        if failures and not loses_data:
            raise Failure(f"day {number}: {failures} reads found map output missing, although no data was lost")
        self.note(f"day {number}, {title}, {time.monotonic() - since:.0f} s: {description}")
        self.note(f"  alerts: {alerts}; reads of lost data: {failures}")

    def upgrade(self):
        """Upgrades coordinators, servers and jobs, in the order of docs/upgrading.md."""
        before = self.version()
        self.cluster.program = self.program
        coordinators = self.changes.restart_coordinators()
        servers = self.changes.rolling_restart()
        self.load.program = self.program
        after = self.version()
        self.load.await_next_round()
        return f"from {before} to {after}: {coordinators}; {servers}", set()

    def version(self):
        """Version of all processes."""
        versions = {self.cluster.version(name) for name in self.cluster.names()}
        if len(versions) != 1:
            raise Failure(f"several versions run: {sorted(versions)}")
        return versions.pop()

    def lose_disk(self):
        """Removes the directory of a disk while it has data, and puts an empty one in its position."""
        name = self.cluster.servers()[1]
        disk = self.cluster.disks(name)[1]
        self.archive(disk)
        since = time.monotonic()
        lost = disk.with_name(disk.name + ".lost")
        disk.rename(lost)
        report(f"lost: {disk.name} of {name}")
        self.until(f"{name} treats {disk} as lost", lambda: self.has_health(name, disk, "LOST"), 60)
        self.until("its data is lost", lambda: self.cluster.metric(name, "sluice_server_lost_bytes_total"), 60)
        self.watch.await_firing({"SluiceDiskBad", "SluiceDataLost"}, self.until)
        shutil.rmtree(lost)
        disk.mkdir()
        self.until(f"{name} uses {disk} again", lambda: self.has_health(name, disk, "HEALTHY"), 60)
        lost_bytes = self.cluster.metric(name, "sluice_server_lost_bytes_total")
        # This alert fires if the server was writing to the disk.
        failed_spills = self.cluster.metric(name, "sluice_server_failed_spills_total")
        expected = {"SluiceDiskBad", "SluiceDataLost"} | ({"SluiceSpillsFail"} if failed_spills else set())
        return (
            f"{disk.name} of {name} with {lost_bytes / 2**20:.1f} MiB was lost, and in use again after "
            f"{time.monotonic() - since:.0f} s; {failed_spills:.0f} spills failed",
            expected,
        )

    def archive(self, disk):
        """Pushes data that stays until its lease ends, and waits until a part of it is on a disk."""
        user = self.cluster.access.JOBS
        pushed = self.cluster.push(user, f"{user}~archive", self.ARCHIVED_MIB)
        if pushed.returncode:
            raise Failure(f"push: {pushed.stderr.strip()}")
        self.until(f"{disk} has data", lambda: self.size(disk) > 1 << 20, 60)

    @staticmethod
    def size(directory):
        """Bytes of the files below a directory, which can be deleted meanwhile."""
        size = 0
        for file in directory.rglob("*"):
            with contextlib.suppress(FileNotFoundError):
                size += file.stat().st_size if file.is_file() else 0
        return size

    def has_health(self, name, disk, health):
        return self.cluster.metric(name, "sluice_server_disk_health", path=str(disk), health=health) == 1

    def lose_machine(self):
        """Kills a server, deletes its directories and replaces it by a new one."""
        count = len(self.cluster.servers())
        name = self.cluster.servers()[0]
        address = self.cluster.address(name)
        since = time.monotonic()
        self.changes.kill_server(name, SERVER_KILLED)
        shutil.rmtree(self.cluster.directory / name)
        self.cluster.remove_server(name)
        new = self.cluster.add_server()
        self.cluster.start(new)
        self.watch.targets()
        self.changes.await_active(count)
        replaced = time.monotonic() - since
        self.until(f"{name} is not listed", lambda: address not in self.cluster.states(), pause=1)
        return (
            f"{name} killed and its directories deleted, {new} replaced it after {replaced:.0f} s; "
            f"{name} no longer listed after {time.monotonic() - since:.0f} s",
            SERVER_KILLED,
        )

    def scale(self):
        """Adds a server, and removes the oldest one with a move of its data when the new one gets pushes."""
        before = self.advice()
        new = self.cluster.add_server()
        self.cluster.start(new)
        self.watch.targets()
        count = len(self.cluster.servers())
        self.changes.await_active(count)
        self.until(f"{new} gets pushes", lambda: self.cluster.metric(new, "sluice_server_pushed_bytes_total"))
        out = self.advice()
        self.load.await_queries()
        oldest = self.cluster.servers()[0]
        since = time.monotonic()
        lines = self.changes.decommission(oldest, "--move")
        taken = time.monotonic() - since
        self.changes.await_active(count - 1)
        after = self.advice()
        return (
            f"{new} added; {oldest} removed after {taken:.0f} s, at start {lines[0].split(': ', 1)[-1]}; "
            f"advice: {before}, {out}, {after}",
            set(),
        )

    def advice(self):
        """Text of `sluice admin scale-advice`, which must count the servers that run."""
        found = self.cluster.admin_json("scale-advice")
        count = len(self.cluster.servers())
        if not found or found["activeServers"] != count:
            raise Failure(f"scale-advice: expected activeServers {count}, found {found}")
        return f"{found['neededServers']} of {count} needed"

    def rotate(self):
        return Rotation(self.cluster, self.load).run(), set()

    def run_away(self):
        return Runaway(self.cluster, self.load).run(), {"SluiceApplicationsDenied"}

    def change_coordinators(self):
        restarted = self.changes.restart_coordinators()
        return f"{restarted}; leader killed: {self.changes.kill_leader()}", PROCESS_KILLED
