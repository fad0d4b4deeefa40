"""Identities, authority and secrets of the users of a cluster."""

import os
import shutil
import ssl
import subprocess

from exercises.waiting import Failure, last_line


class Access:
    """The directory of `sluice secure`, whose files coordinators and servers read, and copies of some files on the
    hosts of jobs and admins. Copies change with `distribute` only, as on other machines."""

    AUTHORITY = "authority.pem"
    ADMIN = "ops"
    JOBS = "jobs"

    def __init__(self, directory, program):
        self.program = program
        self.directory = directory / "secure"
        self.copies = directory / "secure-copies"
        self.secure("init")
        self.copies.mkdir(mode=0o700)
        self.distribute()

    def secure(self, command, *arguments):
        made = subprocess.run(
            [self.program, "secure", command, str(self.directory), *arguments], capture_output=True, text=True
        )
        if made.returncode:
            raise Failure(f"sluice secure {command}: {last_line(made.stderr)}")

    def rotate(self, *options):
        self.secure("rotate", *options)

    def add_user(self, name):
        self.secure("user", name, "user")

    def secret(self, user):
        """File with the newest secret of a user."""
        return self.directory / f"user-{user}"

    def distribute(self):
        """Copies the authority and the secrets to the hosts of jobs and admins. Each file is replaced as a whole."""
        for file in [self.directory / self.AUTHORITY, *self.directory.glob("user-*")]:
            new = self.copies / (file.name + ".new")
            shutil.copy(file, new)
            new.replace(self.copies / file.name)

    def trust(self, authority=None):
        """TLS context of a client that trusts the copied authority, or the one of a file."""
        return ssl.create_default_context(cafile=authority or self.copies / self.AUTHORITY)

    def environment(self, user=ADMIN, secret=None):
        """Environment of commands that a user runs, with the copied secret or the one of a file."""
        return {
            **os.environ,
            "RSS_USER": user,
            "RSS_USER_SECRET_FILE": str(secret or self.copies / f"user-{user}"),
            "RSS_TLS_TRUST_FILE": str(self.copies / self.AUTHORITY),
        }

    def of_jobs(self, user=JOBS):
        """Settings of a user's Spark applications on the hosts of jobs."""
        return {
            "spark.rss.security.user": user,
            "spark.rss.security.user.secret.file": self.copies / f"user-{user}",
            "spark.rss.security.tls.trust.file": self.copies / self.AUTHORITY,
        }
