"""Debian's Chromium, driven over a pipe by its DevTools protocol: no package, no port, no network."""

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64decode
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 30.0
MOVED = "import os, sys; a = sys.argv; os.dup2(int(a[1]), 3); os.dup2(int(a[2]), 4); os.execv(a[3], a[3:])"
KEYS = {"Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowDown": (40, ""), "ArrowUp": (38, ""),
        "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "Home": (36, ""), "End": (35, ""), " ": (32, " ")}  # fmt: skip


def found():
    """Return where a Chromium is, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


needs_chromium = pytest.mark.skipif(
    found() is None, reason="needs Chromium on the path (Debian: apt install chromium)"
)


class Browser:
    """One headless Chromium with one tab; what its console says and what it tries to load are kept."""

    def __init__(self):
        import fcntl  # not on every system, so not where tests are collected

        self.folder = tempfile.mkdtemp()
        ours_read, theirs_write = os.pipe()
        theirs_read, ours_write = os.pipe()

        # it reads from 3 and writes to 4: MOVED puts the pipes there and becomes it
        own = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (theirs_read, theirs_write)]
        said = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run", "--disable-extensions",
                "--disable-background-networking", "--disable-component-update", "--disable-sync"]  # fmt: skip
        moved = [sys.executable, "-c", MOVED, *map(str, own), found(), *said]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(moved, pass_fds=own, **quiet)
        for end in own:
            os.close(end)
        os.close(theirs_read)
        os.close(theirs_write)
        self.reads, self.writes, self.held, self.number = ours_read, ours_write, b"", 0
        self.told, self.asked, self.session = [], [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def close(self):
        """End this browser, and nothing else."""
        with contextlib.suppress(OSError, ValueError, TimeoutError):
            self.session = None
            self.ask("Browser.close", patience=5)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.reads)
        os.close(self.writes)
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, *, patience=PATIENCE, **parameters):
        """Send a command and return its answer."""
        self.number += 1
        own, message = self.number, {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        answer = self._until(lambda one: one.get("id") == own, patience)
        if "error" in answer:
            raise ValueError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _until(self, wanted, patience):
        end = time.monotonic() + patience
        while True:
            while b"\0" in self.held:
                text, _, self.held = self.held.partition(b"\0")
                message = json.loads(text)
                self._note(message)
                if wanted(message):
                    return message
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.reads], [], [], left)[0]:
                raise TimeoutError("the browser did not answer")
            self.held += os.read(self.reads, 1 << 16)

    def _note(self, message):
        given, method = message.get("params", {}), message.get("method")
        if method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.told.append(
                str([one.get("value", one.get("description")) for one in given["args"]])
            )
        elif method == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.told.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.told.append(given["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(given["request"]["url"])

    def open(self, path, address=""):
        """Open a file and wait until its script has run."""
        self.told.clear()
        self.asked.clear()
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=Path(path).resolve().as_uri() + address)
        self.wait("document.readyState === 'complete' && document.querySelector('.ready')")
        return self

    def run(self, script, patience=PATIENCE):
        """Return what an expression gives; a promise is waited for."""
        asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = self.ask("Runtime.evaluate", patience=patience, **asked)
        if "exceptionDetails" in answer:
            raise ValueError(
                answer["exceptionDetails"].get("exception", {}).get("description", "an exception")
            )
        return answer["result"].get("value")

    def wait(self, condition, patience=PATIENCE):
        """Wait until an expression is true."""
        end = time.monotonic() + patience
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {condition}")
            time.sleep(0.02)

    def click(self, selector, nth=0):
        """Click in the middle of an element, as a hand does: once it stands still and nothing covers it."""
        place = self.run(
            f"(async () => {{ const find = () => document.querySelectorAll({json.dumps(selector)})[{nth}]; "
            "const frame = () => new Promise(done => setTimeout(done, 16)); let last = '', box; "
            "for (let turn = 0; turn < 1000; turn++) { const one = find(); "
            "one.scrollIntoView({block: 'center', inline: 'center'}); box = one.getBoundingClientRect(); "
            "const place = [box.x + box.width / 2, box.y + box.height / 2], now = place.join(); "
            "if (now === last && one.contains(document.elementFromPoint(...place))) return place; "
            "last = now; await frame(); } throw new Error('it never stands still'); })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.ask(
                "Input.dispatchMouseEvent",
                type=kind,
                x=place[0],
                y=place[1],
                button="left",
                clickCount=1,
            )

    def press(self, key):
        """Press a key where the focus is."""
        code, text = KEYS.get(key, (ord(key.upper()[0]), key))
        given = {"key": key, "windowsVirtualKeyCode": code}
        self.ask(
            "Input.dispatchKeyEvent", type="keyDown", **given, **({"text": text} if text else {})
        )
        self.ask("Input.dispatchKeyEvent", type="keyUp", **given)

    def type(self, text):
        """Type a text where the focus is."""
        self.ask("Input.insertText", text=text)

    def choose(self, selector, value):
        """Choose an option of a select element."""
        self.run(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)}); one.value = {json.dumps(value)}; "
            "one.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )

    def show_all(self):
        """Show all rows of the tables that show their first rows."""
        self.run("document.querySelectorAll('button.more').forEach((one) => one.click())")
        self.wait("!document.querySelector('button.more')")

    def texts(self, selector):
        """Return the texts of elements."""
        return self.run(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((one) => one.textContent)"
        )

    def sized(self, width, height, *, dark=False, media=""):
        """Set the size of the window and the colors that the reader likes."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)
        return self

    def picture(self, path):
        """Write a screenshot."""
        Path(path).write_bytes(b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def printed(self):
        """Return the page as PDF."""
        return b64decode(
            self.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        )
