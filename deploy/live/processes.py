"""A small cluster, and the processes beside it, on the loopback interface."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SLUICE = os.environ.get("SLUICE", str(ROOT / "sluice"))
START_SECONDS = 60


class Failure(Exception):
    """A check that failed or a process that did not start."""


class Processes:
    """Started processes, which are ended by process id."""

    def __init__(self, directory):
        """
        directory: of their logs
        """
        self.directory = directory
        self.running = []

    def start(self, name, *command, environment=None):
        log = open(self.directory / (name + ".log"), "wb")
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
        self.running.append((name, process))
        return process

    def log(self, name):
        return (self.directory / (name + ".log")).read_text(errors="replace")

    def sluice(self, role, name, settings):
        """Starts a coordinator or server; returns what it reports when it is ready, such as its ports."""
        ready = self.directory / (name + ".ready")
        options = [word for key, value in settings.items() for word in ("-D", f"{key}={value}")]
        process = self.start(name, SLUICE, role, "--ready-file", str(ready), *options)
        deadline = time.monotonic() + START_SECONDS
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failure(f"{name} did not start:\n" + self.log(name)[-2000:])
            time.sleep(0.1)
        lines = [line for line in ready.read_text().splitlines() if "=" in line and not line.startswith("#")]
        return dict(line.split("=", 1) for line in lines)

    def cluster(self, servers, disks, settings):
        """Starts a coordinator and servers. Returns the coordinator's address, and what all report when ready.

        servers: their number
        disks: for the number of a server, the value of rss.storage.basePath
        settings: additional settings of both roles
        """
        common = {"rss.rpc.server.port": 0, "rss.jetty.http.port": 0}
        of_coordinator = {**common, "rss.coordinator.host": "127.0.0.1", **settings["coordinator"]}
        coordinator = self.sluice("coordinator", "coordinator", of_coordinator)
        quorum = "127.0.0.1:" + coordinator["rpc.port"]
        started = []
        for number in range(servers):
            of_server = {
                **common,
                "rss.coordinator.quorum": quorum,
                "rss.server.host": "127.0.0.1",
                "rss.server.netty.port": 0,
                "rss.server.heartbeat.interval": "500ms",
                "rss.storage.basePath": disks(number),
                **settings["server"],
            }
            started.append(self.sluice("server", f"server-{number}", of_server))
        return quorum, coordinator, started

    def end(self):
        for _, process in reversed(self.running):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for _, process in self.running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(20)
            if process.poll() is None:
                process.kill()
                process.wait(10)


def free_port():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]
