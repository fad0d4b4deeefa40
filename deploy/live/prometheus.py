"""A Prometheus with the shipped configuration, and the queries of the shipped dashboards."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request

from live.processes import ROOT, free_port

SHIPPED = ROOT / "deploy" / "prometheus"
# Values that Grafana substitutes.
VARIABLES = {"$__rate_interval": "30s"}


class Prometheus:
    """Writes the shipped configuration with other targets and shorter intervals, for `command`."""

    def __init__(self, home, port, interval="1s", rules=str, authority=None):
        """
        home: directory of the configuration and the data, which is created
        interval: of scrapes and evaluations
        rules: changes the text of a file with rules
        authority: certificate of the authority that the targets' certificates are from; None: no TLS
        """
        self.home = home
        self.api = f"http://127.0.0.1:{port}/api/v1/"
        self.command = [
            "prometheus",
            f"--config.file={home}/prometheus.yml",
            f"--storage.tsdb.path={home}/data",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        (home / "targets").mkdir(parents=True)
        (home / "rules").mkdir()
        for shipped in (SHIPPED / "rules").glob("*.yml"):
            (home / "rules" / shipped.name).write_text(rules(shipped.read_text()))
        config = (SHIPPED / "prometheus.yml").read_text()
        config = re.sub(r"(scrape_interval|scrape_timeout|evaluation_interval): \w+", rf"\1: {interval}", config)
        if authority:
            tls = f"    scheme: https\n    tls_config: {{ca_file: {authority}}}\n    file_sd_configs:\n"
            config = config.replace("    file_sd_configs:\n", tls)
        (home / "prometheus.yml").write_text(config)

    def targets(self, coordinators, servers, cluster):
        """Replaces the target files, as an operator does.

        coordinators, servers: addresses of their HTTP ports
        cluster: value of the label of this name
        """
        for file, addresses in (("coordinators.yml", coordinators), ("servers.yml", servers)):
            found = ", ".join(f'"{address}"' for address in addresses)
            new = self.home / "targets" / (file + ".new")
            new.write_text(f"- targets: [{found}]\n  labels: {{cluster: {cluster}}}\n")
            new.rename(self.home / "targets" / file)

    def ask(self, path, **parameters):
        """Returns the data of the answer and None, or None and the error."""
        url = self.api + path + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"], None
        except urllib.error.HTTPError as problem:
            return None, json.load(problem).get("error", str(problem))


def start_prometheus(processes, coordinator, servers, cluster):
    """Starts a Prometheus for processes, and returns it.

    coordinator, servers: what the processes report when ready
    """
    prometheus = Prometheus(processes.directory / "prometheus", free_port())
    addresses = [f"127.0.0.1:{member['http.port']}" for member in [coordinator, *servers]]
    prometheus.targets(addresses[:1], addresses[1:], cluster)
    processes.start("prometheus", *prometheus.command)
    return prometheus


class Dashboard:
    def __init__(self, file):
        self.file = file
        self.board = json.loads(file.read_text())
        self.title = self.board["title"]
        self.panels = self.board["panels"]
        self.names = [variable["name"] for variable in self.board["templating"]["list"]]

    def query(self, target):
        """The query of a panel's target, for all values of the variables."""
        query = target["expr"]
        for name, value in VARIABLES.items():
            query = query.replace(name, value)
        for name in self.names:
            query = query.replace(f"${name}", ".*")
        if "$" in query:
            raise ValueError(f"{self.file.name}: unknown variable in {query}")
        return query


def dashboards():
    return [Dashboard(file) for file in sorted((ROOT / "deploy" / "grafana").glob("*.json"))]
