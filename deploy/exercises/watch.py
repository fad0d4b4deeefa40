"""Prometheus with the shipped rules, and the alerts that fired."""

import contextlib
import re
import shutil
import subprocess
import threading
import time

from exercises.waiting import Failure, await_that, report
from live.prometheus import Prometheus

# Alerts that fire while a server is down that did not stop cleanly, and while any process is down.
SERVER_KILLED = {"SluiceProcessDown", "SluiceServerLost"}
PROCESS_KILLED = {"SluiceProcessDown"}
# Time in which alerts become pending and fire, and in which they are resolved, beside their own durations.
FIRE_SECONDS = 240
RESOLVE_SECONDS = 300
# Time to wait for late alerts.
SETTLE_SECONDS = 10


def accelerated(rules, speedup, window_divisor):
    """Divides the minute for which conditions must be true by a number, and the windows in which events are counted by
    another one."""
    rules = re.sub(r"(?m)^( +for: )1m$", rf"\g<1>{60 // speedup}s", rules)

    def shorter(window):
        return f"{window[1]}[{int(window[2]) * 60 // window_divisor}s]"

    return re.sub(r"((?:increase|changes)\([^\[\]]*)\[(\d+)m\]", shorter, rules) if window_divisor > 1 else rules


class Watch:
    def __init__(self, cluster, speedup, window_divisor):
        """
        speedup: divisor of the minute for which conditions must be true
        window_divisor: divisor of the windows in which rules count events
        """
        self.cluster = cluster
        home = cluster.directory / "prometheus"
        self.prometheus = Prometheus(
            home,
            cluster.free_ports.next(),
            "2s",
            lambda rules: accelerated(rules, speedup, window_divisor),
            cluster.access.copies / cluster.access.AUTHORITY,
        )
        self.fired = {}
        self.ended = threading.Event()
        self.targets()
        with open(home / "log", "wb") as log:
            self.process = subprocess.Popen(
                self.prometheus.command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        self.follower = threading.Thread(target=self.follow, daemon=True)

    def start(self):
        """Waits until Prometheus reaches all processes, and records alerts from then on."""
        count = len(self.cluster.names())
        await_that("Prometheus reaches all processes", lambda: self.up() == count, 90, 1)
        self.follower.start()

    def targets(self):
        """Gives Prometheus the addresses of the current processes."""
        cluster = self.cluster
        self.prometheus.targets(
            [cluster.http_address(name) for name in cluster.coordinators],
            [cluster.http_address(name) for name in cluster.servers()],
            "exercise",
        )

    def ask(self, path, **parameters):
        """Returns the data of the answer; raises OSError if there is none."""
        data, error = self.prometheus.ask(path, **parameters)
        if error:
            raise OSError(error)
        return data

    def firing(self):
        """Alerts that fire; None if Prometheus does not answer."""
        try:
            alerts = self.ask("alerts")["alerts"]
        except OSError:
            return None
        return [alert for alert in alerts if alert["state"] == "firing"]

    def follow(self):
        while not self.ended.wait(1):
            for alert in self.firing() or []:
                name = alert["labels"]["alertname"]
                if name not in self.fired:
                    self.fired[name] = alert["annotations"]["summary"]
                    report(f"alert {name} fires: {self.fired[name]}")

    def begin(self):
        """Forgets the alerts that fired before."""
        self.fired = {}

    def await_down(self, name, until):
        """Waits until the alert for a process that is down fires for this one."""
        address = self.cluster.http_address(name)

        def fires():
            return any(
                alert["labels"]["alertname"] == "SluiceProcessDown" and alert["labels"]["instance"] == address
                for alert in self.firing() or []
            )

        until(f"the alert for {name} fires", fires, FIRE_SECONDS, 1)

    def await_firing(self, names, until):
        def fire():
            return names <= {alert["labels"]["alertname"] for alert in self.firing() or []}

        until(f"alerts {sorted(names)} fire", fire, FIRE_SECONDS, 1)

    def await_resolved(self, until):
        until("all alerts are resolved", lambda: self.firing() == [], RESOLVE_SECONDS, 1)

    def check(self, expected):
        """Checks that exactly these alerts fired and that none fires, and describes it."""
        time.sleep(SETTLE_SECONDS)
        fired = set(self.fired)
        if fired != expected:
            raise Failure(
                f"alerts: expected {sorted(expected)}, found "
                + ("; ".join(f"{name}: {summary}" for name, summary in sorted(self.fired.items())) or "none")
            )
        left = self.firing()
        if left != []:
            raise Failure(f"alerts still fire: {left}")
        return f"{', '.join(sorted(fired))} fired and were resolved, no others" if fired else "no alert fired"

    def up(self):
        try:
            return len(self.ask("query", query='up{job=~"sluice-.+"} == 1')["result"])
        except OSError:
            return 0

    def pushed(self):
        """Bytes pushed to all servers, which must be more than 0."""
        result = self.ask("query", query="sum(increase(sluice_server_pushed_bytes_total[2h]))")["result"]
        pushed = int(float(result[0]["value"][1])) if result else 0
        if not pushed:
            raise Failure("the servers received no pushes")
        return f"{pushed >> 20} MiB pushed"

    def end(self):
        self.ended.set()
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        if self.process.poll() is None:
            self.process.kill()


class NoWatch:
    """Without Prometheus: checks no alerts."""

    def start(self):
        pass

    def targets(self):
        pass

    def begin(self):
        pass

    def await_down(self, name, until):
        pass

    def await_firing(self, names, until):
        pass

    def await_resolved(self, until):
        pass

    def check(self, expected):
        return "not checked, because prometheus is not on the path"

    def pushed(self):
        return "pushed bytes are not counted"

    def end(self):
        pass


def watch(cluster, speedup, window_divisor):
    return Watch(cluster, speedup, window_divisor) if shutil.which("prometheus") else NoWatch()
