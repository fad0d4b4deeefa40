"""Replacement of all keys, certificates and secrets of a running cluster."""

import shutil
import ssl
import time

from exercises.waiting import Failure, report

DAY_SECONDS = 86400


class Rotation:
    """The steps of docs/security.md#rotate. Each one waits until all processes use the new files."""

    # Validities in days, each less than the one before, by which new identities are recognized.
    RENEWED, SIGNED = 300, 200

    def __init__(self, cluster, load):
        self.cluster = cluster
        self.access = cluster.access
        self.load = load
        self.until = load.until

    def run(self):
        old = self.keep_old()
        self.access.rotate("--valid-days", str(self.RENEWED))
        self.await_identities(self.RENEWED)
        report("identities are replaced")
        self.access.rotate("--authority")
        self.access.rotate("--users")
        self.until("coordinators accept new secrets", lambda: self.accepted(self.access.secret(self.access.ADMIN)))
        self.access.distribute()
        report("a second authority is trusted, and every user has a second secret")
        self.load.await_next_round()
        self.access.rotate("--authority", "--valid-days", str(self.SIGNED))
        self.await_identities(self.SIGNED)
        self.access.rotate("--users")
        self.until("coordinators refuse old secrets", lambda: self.refused(old / f"user-{self.access.ADMIN}"))
        report("the new authority has signed all identities, and old secrets are refused")
        self.load.await_next_round()
        self.access.rotate("--authority")
        self.access.distribute()
        self.until("the new authority is sufficient", self.all_trusted)
        report("only the new authority is trusted")
        self.load.await_next_round()
        old_authority = self.access.trust(old / self.access.AUTHORITY)
        trusted = [name for name in self.cluster.names() if self.is_trusted(name, old_authority)]
        if trusted:
            raise Failure(f"the old authority is sufficient for {trusted}")
        shutil.rmtree(old)
        return f"identities of {len(self.cluster.names())} processes, authority and secrets replaced without a restart"

    def keep_old(self):
        """Copies the files of clients before the rotation."""
        old = self.cluster.directory / "secure-old"
        shutil.copytree(self.access.copies, old)
        return old

    def await_identities(self, days):
        """Waits until the identity of each process expires within these days."""
        latest = time.time() + days * DAY_SECONDS
        for name in self.cluster.names():
            metric = f"sluice_{self.cluster.role(name)}_certificate_expiry_seconds"
            self.until(
                f"{name} uses its new identity",
                lambda name=name, metric=metric: 0 < self.cluster.metric(name, metric) <= latest,
            )

    def accepted(self, secret):
        return all(self.cluster.accepts(name, self.access.ADMIN, secret) for name in self.cluster.coordinators)

    def refused(self, secret):
        return not any(self.cluster.accepts(name, self.access.ADMIN, secret) for name in self.cluster.coordinators)

    def all_trusted(self):
        return all(self.is_trusted(name, self.access.trust()) for name in self.cluster.names())

    def is_trusted(self, name, trust):
        """Whether the certificate of a process is valid for a client with this trust."""
        try:
            with self.cluster.request(name, "/healthz", trust=trust):
                return True
        except OSError as failure:
            if isinstance(getattr(failure, "reason", failure), ssl.SSLError):
                return False
            raise
