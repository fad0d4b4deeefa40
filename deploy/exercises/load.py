"""Load under which the cluster is changed."""

import threading
import time

from exercises.queries import Queries
from exercises.waiting import MAX_WAIT_SECONDS, Failure, await_that, report


class Load:
    """Runs queries repeatedly until `enough` is set; at least once. Each round is a new application."""

    def __init__(self, cluster, options):
        """
        options: QueryOptions
        """
        self.cluster = cluster
        self.options = options
        # The command `sluice` of the next round.
        self.program = cluster.program
        self.enough = threading.Event()
        # Set while the queries of a round run.
        self.querying = threading.Event()
        self.problem = None
        self.begun = 0
        self.rounds = 0
        self.query_count = 0
        # Guards the newest round and the count of those before it.
        self.lock = threading.Lock()
        self.queries = None
        self.past_fetch_failures = 0
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.problem and (self.rounds == 0 or not self.enough.is_set()):
            try:
                self.round()
            except Failure as failure:
                self.problem = str(failure)

    def round(self):
        self.begun += 1
        log = self.cluster.directory / f"demo-{self.begun}.log"
        queries = Queries(self.cluster, self.program, self.cluster.access.JOBS, self.options, log)
        with self.lock:
            self.queries = queries
        while queries.is_running():
            if queries.is_querying():
                self.querying.set()
            time.sleep(0.5)
        self.querying.clear()
        count = queries.check()
        fallbacks = queries.fallbacks()
        if fallbacks:
            raise Failure(
                f"{fallbacks} shuffles fell back to Spark's built-in shuffle; logs: {queries.run_directory()}"
            )
        with self.lock:
            self.past_fetch_failures += queries.fetch_failures()
            queries.delete_logs()
        self.rounds += 1
        self.query_count += count
        report(f"load: round {self.rounds}, {queries.totals()}")

    def check(self):
        if self.problem:
            raise Failure(self.problem)

    def until(self, what, condition, seconds=MAX_WAIT_SECONDS, pause=0.2):
        """Waits for a condition. Fails as soon as the load does."""

        def checked():
            self.check()
            return condition()

        return await_that(what, checked, seconds, pause)

    def await_queries(self):
        """Waits until queries of a round run, so that the next action affects them."""
        self.until("a query runs", self.querying.is_set)

    def await_next_round(self):
        """Waits until queries of an application run that starts after this call."""
        begun = self.begun
        self.until("queries of a new application run", lambda: self.begun > begun and self.querying.is_set())

    def fetch_failures(self):
        """Number of tasks that found map output missing since the start."""
        with self.lock:
            return self.past_fetch_failures + (self.queries.fetch_failures() if self.queries else 0)

    def join(self):
        """Ends the load after the round that runs, and describes it."""
        self.enough.set()
        self.thread.join(MAX_WAIT_SECONDS)
        self.check()
        if self.thread.is_alive():
            raise Failure(f"the queries did not end within {MAX_WAIT_SECONDS} s")
        return f"{self.query_count} of {self.query_count} the same as with Spark's built-in shuffle, none failed"

    def end(self):
        self.enough.set()
        if self.queries:
            self.queries.end()
