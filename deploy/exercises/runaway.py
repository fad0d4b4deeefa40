"""Applications that push much more than the quota of their user."""

import json

from exercises.queries import Queries, QueryOptions
from exercises.waiting import Failure, last_line, report


class Runaway:
    USER = "runaway"
    QUOTA_MIB = 1
    # Without a quota, the application would push this.
    PUSHED_MIB = 16384
    # Queries that shuffle more than the quota.
    QUERIES = "9,18,21"
    REFUSED_FRAMES = "sluice_server_quota_refused_frames_total"

    def __init__(self, cluster, load):
        self.cluster = cluster
        self.access = cluster.access
        self.load = load
        self.until = load.until

    def run(self):
        self.access.add_user(self.USER)
        self.access.distribute()
        self.until("the coordinators know the user", self.is_known)
        self.set_quota()
        stored = self.push_without_end()
        queries, fallbacks = self.run_queries()
        frames = self.of_servers(self.REFUSED_FRAMES)
        self.until(f"the data of {self.USER} is deleted", lambda: not self.stored())
        return (
            f"quota {self.QUOTA_MIB} MiB; of {self.PUSHED_MIB} MiB, {stored} MiB were stored; {frames:.0f} frames refused; "
            f"{queries} of {queries} queries the same, {fallbacks} of their shuffles with the built-in shuffle"
        )

    def is_known(self):
        secret = self.access.secret(self.USER)
        return all(self.cluster.accepts(name, self.USER, secret) for name in self.cluster.coordinators)

    def set_quota(self):
        """Sets the quota over the REST API, as docs/quotas.md does."""
        secret = self.access.secret(self.access.ADMIN).read_text().strip()
        leader = self.until("a coordinator leads", self.cluster.leader, 60)
        with self.cluster.request(
            leader,
            f"/api/v1/quotas/{self.USER}",
            method="PUT",
            headers={"Authorization": f"Bearer {self.access.ADMIN}:{secret}", "Content-Type": "application/json"},
            data=json.dumps({"bytes": self.QUOTA_MIB << 20}).encode(),
        ):
            pass

    def push_without_end(self):
        """Pushes as fast as possible and without local output until servers refuse it. A second application of the user
        gets no servers. Returns the MiB stored."""
        message = self.push("runaway~1")
        stored = self.stored()
        if not self.QUOTA_MIB <= stored < self.PUSHED_MIB // 4:
            raise Failure(f"{self.USER} stores {stored} MiB of {self.PUSHED_MIB} MiB; quota={self.QUOTA_MIB} MiB")
        if not self.of_servers(self.REFUSED_FRAMES):
            raise Failure("servers refused no frames because of the quota")
        report(f"{self.USER} stores {stored} MiB: {message}")
        report(f"{self.USER} again: {self.push('runaway~2')}")
        return stored

    def push(self, application):
        """Pushes data, which must be refused because of the quota. Returns the message."""
        ended = self.cluster.push(self.USER, application, self.PUSHED_MIB)
        message = last_line(ended.stderr)
        if ended.returncode != 1 or "quota" not in message:
            raise Failure(f"{application} is over quota, and ended with {ended.returncode}: {message}")
        return message

    def run_queries(self):
        """Runs queries of the user over quota, which must succeed. Returns their number and the number of fallbacks."""
        options = QueryOptions(self.load.options.scale, self.QUERIES, self.new_work_directory())
        queries = Queries(
            self.cluster, self.cluster.program, self.USER, options, self.cluster.directory / "demo-runaway.log"
        )
        try:
            self.until("the queries end", lambda: not queries.is_running())
        finally:
            queries.end()
        count = queries.check()
        fallbacks = queries.fallbacks()
        if not fallbacks:
            raise Failure(
                f"no shuffle of {self.USER} fell back although it is over quota; logs: {queries.run_directory()}"
            )
        queries.delete_logs()
        return count, fallbacks

    def new_work_directory(self):
        """Creates a directory for runs, with the data of the load."""
        work = self.cluster.directory / "work-runaway"
        work.mkdir()
        for data in self.load.options.work_directory.glob("tpch-*"):
            (work / data.name).symlink_to(data)
        return work

    def of_servers(self, metric, **labels):
        """Sum over all servers."""
        return sum(self.cluster.metric(name, metric, **labels) for name in self.cluster.servers())

    def stored(self):
        """MiB of the first application on all servers."""
        return int(self.of_servers("sluice_server_application_stored_bytes", application=f"{self.USER}~1")) >> 20
