"""Loopback ports for processes that keep their port over restarts."""

import random
import socket

from exercises.waiting import Failure


class FreePorts:
    """Ports below the ephemeral range, because the kernel may assign an ephemeral port to another process during a
    restart."""

    FIRST, END = 20000, 32768

    def __init__(self):
        self.used = set()

    def next(self):
        """Returns a port on which no process listens, and which was not returned before."""
        count = self.END - self.FIRST
        start = random.randrange(count)
        for i in range(count):
            port = self.FIRST + (start + i) % count
            if port not in self.used and self.is_free(port):
                self.used.add(port)
                return port
        raise Failure(f"no free port between {self.FIRST} and {self.END - 1}")

    @staticmethod
    def is_free(port):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return False
            return True
