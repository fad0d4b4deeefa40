"""Changes of a running cluster by an operator, each with its checks."""

import subprocess
import time

from exercises.waiting import MAX_WAIT_SECONDS, Failure, last_line, report

# Exit code of a decommissioned server.
DECOMMISSIONED = 80


class Changes:
    """Each method returns a description of the change. All fail as soon as the load does."""

    def __init__(self, cluster, watch, load):
        self.cluster = cluster
        self.watch = watch
        self.load = load
        self.until = load.until

    def await_active(self, count):
        def active():
            return list(self.cluster.states().values()).count("ACTIVE") == count

        self.until(f"{count} servers are ACTIVE", active, 120, 1)

    def rolling_restart(self):
        """Runs the command with a restart command that creates a file per server and waits until the file is deleted."""
        since = time.monotonic()
        wanted = self.cluster.directory / "restart"
        wanted.mkdir()
        restart = f'touch "{wanted}/$SLUICE_PORT"; while [ -e "{wanted}/$SLUICE_PORT" ]; do sleep 0.1; done'
        output = self.cluster.directory / "rolling-restart.log"
        with self.command(output, "rolling-restart", "--restart-command", restart, "--settle", "5s") as command:
            while command.poll() is None:
                self.load.check()
                for file in wanted.iterdir():
                    name = self.cluster.name_of(file.name)
                    report(f"rolling restart: {name}")
                    self.cluster.stop(name)
                    self.cluster.start(name)
                    file.unlink()
                if time.monotonic() - since > MAX_WAIT_SECONDS:
                    raise Failure(f"the rolling restart did not end within {MAX_WAIT_SECONDS} s")
                time.sleep(0.1)
        wanted.rmdir()
        last = last_line(output.read_text())
        if command.returncode:
            raise Failure(f"rolling restart: {last}")
        return f"{last} in {time.monotonic() - since:.0f} s"

    def command(self, output, *arguments):
        """Starts an admin command, whose process is killed at the end of the context if it still runs."""
        with open(output, "wb") as log:
            return Killed(
                self.cluster.admin_command(*arguments),
                env=self.cluster.access.environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def await_leader(self):
        return self.until("a coordinator leads", self.cluster.leader, 60)

    def restart_coordinators(self):
        """Restarts one coordinator after the other, the leader last, each when the one before is ready."""
        since = time.monotonic()
        leader = self.await_leader()
        for name in sorted(self.cluster.coordinators, key=lambda name: name == leader):
            report(f"restart: {name}" + (", which leads" if name == leader else ""))
            self.cluster.stop(name)
            self.cluster.start(name)
            self.until(f"{name} is ready", lambda name=name: self.cluster.is_ready(name), 60)
        return f"{len(self.cluster.coordinators)} coordinators restarted in {time.monotonic() - since:.0f} s"

    def kill_leader(self):
        """Kills the coordinator that leads, and saves the state while another one does. After its restart the killed one
        must be ready."""
        name = self.await_leader()
        self.load.await_queries()
        since = time.monotonic()
        self.cluster.kill(name)
        report(f"killed: {name}, which led")
        self.until("another coordinator leads", lambda: self.cluster.leader() not in (None, name), 60, 0.1)
        taken = time.monotonic() - since
        self.save_state()
        self.watch.await_down(name, self.until)
        self.cluster.start(name)
        self.until(f"{name} is ready", lambda: self.cluster.is_ready(name), 60)
        self.watch.await_resolved(self.until)
        return f"another coordinator led after {taken:.1f} s at most, restarted after {time.monotonic() - since:.0f} s"

    def save_state(self):
        file = self.cluster.directory / "state.backup"
        file.unlink(missing_ok=True)
        saved = self.cluster.admin("backup", str(file))
        if not saved or not file.stat().st_size:
            raise Failure("backup: no state was saved")
        report(saved.strip())

    def kill_server(self, name, expected):
        """Kills a server, and waits until the expected alerts fire."""
        self.load.await_queries()
        self.cluster.kill(name)
        report(f"killed: {name}")
        self.watch.await_firing(expected, self.until)

    def decommission(self, name, *options):
        """Decommissions a server and waits until it exits. Returns the lines that the command printed."""
        output = self.cluster.directory / f"decommission-{name}.log"
        arguments = [self.cluster.address(name), *options, "--wait", "--wait-timeout", "10m"]
        report(f"decommission started: {name}")
        with self.command(output, "decommission", *arguments) as command:
            self.until(f"{name} exits", lambda: command.poll() is not None)
        lines = output.read_text().strip().splitlines()
        if command.returncode:
            raise Failure(f"decommission: {lines[-1]}")
        code = self.cluster.processes[name].wait(30)
        if code != DECOMMISSIONED:
            raise Failure(f"{name} was decommissioned and exited with {code}, expected {DECOMMISSIONED}")
        left = [file.name for disk in self.cluster.disks(name) for file in disk.rglob("*.run")]
        if left:
            raise Failure(f"{name} was decommissioned and left {len(left)} run files, such as {left[0]}")
        self.cluster.remove_server(name)
        self.watch.targets()
        return lines


class Killed(subprocess.Popen):
    """A process that is killed at the end of its context."""

    def __exit__(self, *unused):
        if self.poll() is None:
            self.kill()
        return super().__exit__(*unused)
