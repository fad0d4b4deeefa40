"""Processes of a cluster with TLS and authentication on the loopback interface."""

import contextlib
import json
import os
import re
import signal
import subprocess
import urllib.request

from exercises.access import Access
from exercises.ports import FreePorts
from exercises.waiting import Failure, await_that, last_line

START_SECONDS = 60
STOP_SECONDS = 90
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Cluster:
    """Coordinators, which share their state if there are several, and servers. Names, ports and directories are kept
    over restarts."""

    def __init__(self, directory, coordinators, servers, program, settings):
        """
        directory: of all files
        coordinators, servers: their number
        program: the command `sluice` of which processes are started
        settings: additional configuration by role, "coordinator" and "server"
        """
        self.directory = directory
        self.program = program
        self.additional = settings
        self.processes = {}
        self.free_ports = FreePorts()
        self.ports = {}
        self.coordinators = [f"coordinator-{number}" for number in range(1, coordinators + 1)]
        for name in self.coordinators:
            self.ports[name] = self.new_ports("rpc.port", "http.port")
        self.quorum = ",".join(map(self.address, self.coordinators))
        self.server_count = 0
        for _ in range(servers):
            self.add_server()
        self.access = Access(directory, program)

    def new_ports(self, *kinds):
        return {kind: str(self.free_ports.next()) for kind in kinds}

    def add_server(self):
        """Returns the name of a new server, which is not started yet."""
        self.server_count += 1
        name = f"server-{self.server_count}"
        self.ports[name] = self.new_ports("rpc.port", "http.port", "netty.port")
        return name

    def remove_server(self, name):
        """Removes a server that does not run from the list of servers."""
        del self.ports[name]

    def disks(self, name):
        return [self.directory / name / f"disk-{number}" for number in (1, 2)]

    def role(self, name):
        return "coordinator" if name in self.coordinators else "server"

    def settings(self, name):
        ports = self.ports[name]
        settings = {
            "rss.rpc.server.port": ports["rpc.port"],
            "rss.jetty.http.port": ports["http.port"],
            **self.additional.get(self.role(name), {}),
        }
        if name in self.coordinators:
            if len(self.coordinators) > 1:
                settings["rss.coordinator.quorum"] = self.quorum
                settings["rss.coordinator.quorum.self"] = self.address(name)
                settings["rss.coordinator.data.dir"] = self.directory / name
            return {
                **settings,
                "rss.coordinator.host": "127.0.0.1",
                "rss.coordinator.server.heartbeat.interval": "1s",
                "rss.coordinator.server.heartbeat.timeout": "10s",
            }
        return {
            **settings,
            "rss.coordinator.quorum": self.quorum,
            "rss.server.host": "127.0.0.1",
            "rss.server.netty.port": ports["netty.port"],
            "rss.server.heartbeat.interval": "500ms",
            "rss.server.buffer.capacity": "64m",
            "rss.server.decommission.check.interval": "1s",
            "rss.storage.basePath": ",".join(map(str, self.disks(name))),
        }

    def start(self, name):
        ready = self.directory / (name + ".ready")
        ready.unlink(missing_ok=True)
        role = self.role(name)
        options = ["--conf", str(self.access.directory / (role + ".conf"))]
        options += [option for key, value in self.settings(name).items() for option in ("-D", f"{key}={value}")]
        with open(self.directory / (name + ".log"), "ab") as log:
            process = subprocess.Popen(
                [self.program, role, "--ready-file", str(ready), *options],
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, "COORDINATOR_XMX_SIZE": "128m", "XMX_SIZE": "256m"},
            )
        self.processes[name] = process
        await_that(f"{name} starts", lambda: ready.exists() or process.poll() is not None, START_SECONDS, 0.1)
        if process.poll() is not None:
            raise Failure(f"{name} did not start: " + last_line((self.directory / (name + ".log")).read_text()))

    def stop(self, name):
        """Stops a process with SIGTERM, as a process manager does, which must be clean."""
        process = self.processes[name]
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)
                raise Failure(f"{name} did not stop within {STOP_SECONDS} s") from None
        if process.returncode:
            raise Failure(f"{name} exited with {process.returncode}, expected 0")

    def kill(self, name):
        process = self.processes[name]
        process.kill()
        process.wait(10)

    def address(self, name):
        return "127.0.0.1:" + self.ports[name]["rpc.port"]

    def http_address(self, name):
        return "127.0.0.1:" + self.ports[name]["http.port"]

    def name_of(self, port):
        return next(name for name, ports in self.ports.items() if ports["rpc.port"] == port)

    def servers(self):
        return [name for name in self.ports if name not in self.coordinators]

    def names(self):
        return list(self.ports)

    def admin_command(self, *arguments):
        return [self.program, "admin", *arguments, "--coordinator", self.quorum]

    def admin(self, *arguments):
        """Output of an admin command; None if it fails."""
        return self.output(self.admin_command(*arguments), self.access.environment())

    @staticmethod
    def output(command, environment):
        """Output of a command; None if it fails or does not end."""
        try:
            found = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        except subprocess.TimeoutExpired:
            return None
        return None if found.returncode else found.stdout

    def admin_json(self, *arguments):
        found = self.admin(*arguments, "--json")
        return None if found is None else json.loads(found)

    def accepts(self, coordinator, user, secret):
        """Whether a coordinator accepts a secret of a user."""
        command = [self.program, "admin", "servers", "--coordinator", self.address(coordinator)]
        return self.output(command, self.access.environment(user, secret)) is not None

    def push(self, user, application, mib):
        """Pushes data that is kept until the lease of the application ends. Returns the ended process."""
        arguments = ["--application", application, "--total", f"{mib}m", "--keep", "--coordinator", self.quorum]
        return subprocess.run(
            [self.program, "bench", "push", *arguments],
            env=self.access.environment(user),
            capture_output=True,
            text=True,
            timeout=300,
        )

    def leader(self):
        """Name of the coordinator that leads; None: no coordinator does, or none answers."""
        found = self.admin_json("coordinators")
        leading = [member["address"] for member in found["coordinators"] if member["leads"]] if found else []
        return self.name_of(leading[0].rpartition(":")[2]) if leading else None

    def states(self):
        """States of all servers that coordinators list, by address."""
        found = self.admin_json("servers")
        return {server["name"]: server["state"] for server in found.get("servers", [])} if found else {}

    def request(self, name, path, trust=None, **options):
        """Sends a request to the HTTP port of a process, with the trust of the hosts of jobs or another one."""
        request = urllib.request.Request(f"https://{self.http_address(name)}{path}", **options)
        return urllib.request.urlopen(request, timeout=10, context=trust or self.access.trust())

    def is_ready(self, name):
        """Whether a process answers its readiness probe with 200."""
        try:
            with self.request(name, "/readyz") as answer:
                return answer.status == 200
        except OSError:
            return False

    def samples(self, name, metric):
        """Labels and value of each sample of a metric that a process exposes."""
        with self.request(name, "/metrics") as answer:
            lines = answer.read().decode().splitlines()
        matches = [SAMPLE.match(line) for line in lines if line.startswith(metric)]
        return [
            (dict(LABEL.findall(match[2] or "")), float(match[3])) for match in matches if match and match[1] == metric
        ]

    def metric(self, name, metric, **labels):
        """Sum of the samples with these labels; 0 if there are none."""
        return sum(value for found, value in self.samples(name, metric) if labels.items() <= found.items())

    def version(self, name):
        """Version and revision of a process."""
        labels = self.samples(name, "sluice_build_info")[0][0]
        return f"{labels['version']} ({labels['revision'][:12]})"

    def end(self):
        running = [process for process in self.processes.values() if process.poll() is None]
        for process in running:
            process.send_signal(signal.SIGTERM)
        for process in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
            if process.poll() is None:
                process.kill()
                process.wait(10)
