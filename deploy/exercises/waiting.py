"""Failed checks, progress, and waiting with a deadline."""

import time

# Maximum duration of any wait.
MAX_WAIT_SECONDS = 600


class Failure(Exception):
    """A failed check, described in one line."""


def report(text):
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def await_that(what, condition, seconds=MAX_WAIT_SECONDS, pause=0.2):
    """Returns the first value of the condition that is true."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(pause)


def last_line(text):
    return (text.strip().splitlines() or ["no output"])[-1]
