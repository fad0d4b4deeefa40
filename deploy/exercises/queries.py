"""One run of the queries of TPC-H, with the built-in shuffle and through Sluice."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess

from exercises.waiting import Failure, last_line

SPARK_HOME = pathlib.Path(__file__).resolve().parent.parent.parent / "demo" / "target" / "spark-home"
# Log line of a driver whose read task found map output missing, so that map tasks run again.
FETCH_FAILURE = re.compile(r"WARN TaskSetManager: Lost task .*FetchFailed\(")
FALLBACK = re.compile("falling back to Spark's built-in shuffle")


class Queries:
    SETTINGS = {
        # At a small scale, Spark would broadcast all joins and shuffle no data.
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        # All processes start at once on this machine. An application that starts waits a fifth of it.
        "spark.rss.access.timeout.ms": "300s",
    }

    def __init__(self, cluster, program, user, options, log):
        """Starts the run.

        program: the command `sluice`
        options: QueryOptions
        log: file for the output
        """
        self.log = log
        self.work_directory = options.work_directory
        self.earlier = set(self.work_directory.glob("run-*"))
        command = [program, "demo", f"--secure={cluster.access.directory}", "--keep", "--coordinator", cluster.quorum]
        command += ["--scale", str(options.scale), "--work-dir", str(self.work_directory)]
        if options.queries:
            command += ["--queries", options.queries]
        for key, value in {**self.SETTINGS, **cluster.access.of_jobs(user)}.items():
            command += ["--sluice-conf", f"{key}={value}"]
        with open(log, "wb") as output:
            self.process = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                # A distribution has no Spark.
                env={"SPARK_HOME": str(SPARK_HOME), **os.environ},
            )

    def is_running(self):
        return self.process.poll() is None

    def is_querying(self):
        """Whether a query has ended, so that others run."""
        return "same: " in self.log.read_text()

    def check(self):
        """Checks a run that has ended. Returns the number of queries, of which all have the same rows."""
        text = self.log.read_text()
        same = re.findall(r"(\d+) of (\d+) the same", text)
        if self.process.returncode or not same or same[-1][0] != same[-1][1]:
            raise Failure(f"the queries: {last_line(text)} (exit code {self.process.returncode}, {self.log})")
        return int(same[-1][1])

    def totals(self):
        """Line with the times of all queries."""
        return self.log.read_text().strip().splitlines()[-2]

    def run_directory(self):
        """Directory with the logs of applications; None before it exists."""
        return next((run for run in self.work_directory.glob("run-*") if run not in self.earlier), None)

    def count(self, pattern):
        """Counts log lines of the drivers."""
        directory = self.run_directory()
        logs = directory.rglob("driver-*.log") if directory else []
        return sum(len(pattern.findall(log.read_text(errors="replace"))) for log in logs)

    def fallbacks(self):
        """Number of shuffles that used the built-in shuffle instead of Sluice."""
        return self.count(FALLBACK)

    def fetch_failures(self):
        """Number of tasks that found map output missing."""
        return self.count(FETCH_FAILURE)

    def delete_logs(self):
        shutil.rmtree(self.run_directory())

    def end(self):
        if self.is_running():
            # Its shutdown hook ends its processes.
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(60)
            if self.is_running():
                os.killpg(self.process.pid, signal.SIGKILL)


class QueryOptions:
    def __init__(self, scale, queries, work_directory):
        """
        scale: scale factor
        queries: as for `sluice demo`; None: all
        work_directory: of the runs, and of data that later runs use again
        """
        self.scale = scale
        self.queries = queries
        self.work_directory = work_directory
