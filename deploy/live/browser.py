"""A headless Chromium, controlled through the WebDriver protocol (https://www.w3.org/TR/webdriver2)."""

import base64
import json
import shutil
import time
import urllib.request

from live.processes import START_SECONDS, Failure, free_port

# A driver reports its tasks in each third of its lease.
WAIT_SECONDS = 400
MAX_HEIGHT = 1500


class Browser:
    def __init__(self, processes):
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        processes.start("chromedriver", "chromedriver", f"--port={port}")
        self.await_that("chromedriver starts", self.is_ready, START_SECONDS)
        arguments = [
            "--headless=new",
            "--no-sandbox",  # Needed for root in a container; it loads only local pages.
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--force-prefers-reduced-motion",
        ]
        options = {"binary": shutil.which("chromium"), "args": arguments}
        session = self.call("POST", "/session", capabilities={"alwaysMatch": {"goog:chromeOptions": options}})
        self.base += "/session/" + session["sessionId"]

    def call(self, method, path, **body):
        data = json.dumps(body).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def is_ready(self):
        try:
            return self.call("GET", "/status")["ready"]
        except OSError:
            return False

    @staticmethod
    def await_that(what, condition, seconds=WAIT_SECONDS):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise Failure(f"not within {seconds} s: {what}")
            time.sleep(0.2)

    def run(self, script):
        return self.call("POST", "/execute/sync", script=script, args=[])

    def develop(self, command, **parameters):
        """A command of the Chrome DevTools Protocol."""
        return self.call("POST", "/goog/cdp/execute", cmd=command, params=parameters)

    def open(self, address, text):
        """Opens a page and waits until it contains a text."""
        self.call("POST", "/url", url=address)
        self.await_that(
            f"{address} shows: {text}", lambda: text in self.run("return document.body.innerText.normalize()")
        )

    def dark(self, wanted):
        value = "dark" if wanted else "light"
        self.develop("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def view(self, width, height, scale=1, phone=False):
        self.develop(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone
        )

    def picture(self, file, width, scale=1, phone_height=None):
        """Writes a picture of the page up to a maximum height, or of the first screen of a phone."""
        self.view(width, phone_height or 900, scale, phone_height is not None)
        if phone_height is None:
            self.view(width, min(MAX_HEIGHT, self.run("return document.body.scrollHeight")), scale)
        # Charts are drawn again after a change of the size.
        self.call("POST", "/execute/async", script=(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 300)));"
        ), args=[])
        file.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        self.call("DELETE", "")
