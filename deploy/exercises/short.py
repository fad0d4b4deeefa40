"""The short exercise: one change of each kind."""

import time

from exercises.changes import Changes
from exercises.watch import SERVER_KILLED


class ShortExercise:
    # Alerts count events in the windows of the shipped rules.
    WINDOW_DIVISOR = 1
    SETTINGS = {}

    def __init__(self, cluster, watch, load, note):
        """
        note: called with each line of the summary
        """
        self.cluster = cluster
        self.watch = watch
        self.load = load
        self.note = note
        self.changes = Changes(cluster, watch, load)

    def run(self):
        self.load.thread.start()
        self.load.await_queries()
        self.note(f"rolling restart: {self.changes.rolling_restart()}")
        if len(self.cluster.coordinators) > 1:
            self.note(f"leader killed: {self.changes.kill_leader()}")
        self.kill_one()
        self.decommission_one()
        self.note(f"queries: {self.load.join()}")
        self.note(f"alerts: {self.watch.check(SERVER_KILLED)}; {self.watch.pushed()}")

    def kill_one(self):
        name = self.cluster.servers()[0]
        since = time.monotonic()
        self.changes.kill_server(name, SERVER_KILLED)
        self.cluster.start(name)
        self.changes.await_active(len(self.cluster.servers()))
        self.watch.await_resolved(self.load.until)
        self.note(f"server killed and restarted after {time.monotonic() - since:.0f} s")

    def decommission_one(self):
        """Decommissions a server, which exits when the application that needs its data has ended."""
        self.load.await_queries()
        self.load.enough.set()
        since = time.monotonic()
        lines = self.changes.decommission(self.cluster.servers()[-1])
        self.note(
            f"decommission: exited after {time.monotonic() - since:.0f} s with code 80; at start "
            + lines[0].split(", ")[-1]
        )
