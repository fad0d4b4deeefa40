"""A Prometheus with the shipped configuration, and the queries of the shipped dashboards."""

import json
import re
import shutil
import urllib.error
import urllib.parse
import urllib.request

from live.processes import ROOT, free_port

SHIPPED = ROOT / "deploy" / "prometheus"
# Values that Grafana substitutes.
VARIABLES = {"$__rate_interval": "30s"}


class Prometheus:
    def __init__(self, processes, coordinator, servers, cluster):
        """Starts Prometheus with the shipped configuration, but other targets and shorter intervals.

        coordinator, servers: what the processes report when ready
        cluster: value of the label of this name
        """
        home = processes.directory / "prometheus"
        shutil.copytree(SHIPPED / "rules", home / "rules")
        (home / "targets").mkdir()
        for name, members in (("coordinators.yml", [coordinator]), ("servers.yml", servers)):
            found = ", ".join(f'"127.0.0.1:{member["http.port"]}"' for member in members)
            (home / "targets" / name).write_text(f"- targets: [{found}]\n  labels: {{cluster: {cluster}}}\n")
        shipped = (SHIPPED / "prometheus.yml").read_text()
        adjusted = re.sub(r"(scrape_interval|scrape_timeout|evaluation_interval): \w+", r"\1: 1s", shipped)
        (home / "prometheus.yml").write_text(adjusted)
        port = free_port()
        self.api = f"http://127.0.0.1:{port}/api/v1/"
        processes.start(
            "prometheus",
            "prometheus",
            f"--config.file={home}/prometheus.yml",
            f"--storage.tsdb.path={home}/data",
            f"--web.listen-address=127.0.0.1:{port}",
        )

    def ask(self, path, **parameters):
        """Returns the data of the answer and None, or None and the error."""
        url = self.api + path + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)["data"], None
        except urllib.error.HTTPError as problem:
            return None, json.load(problem).get("error", str(problem))


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
