"""Starts `varve inspect` and a headless Chromium that looks at it."""
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = Path(__file__).resolve().parent.parent.parent
VARVE = os.environ.get("VARVE", str(ROOT / ".build" / "debug" / "varve"))
PATIENCE = 20


def varve(*arguments: str) -> str:
    return subprocess.run([VARVE, *arguments], check=True, capture_output=True, text=True, cwd=ROOT).stdout


def batch(store: str, operations: list[dict]) -> None:
    """Runs operations, all of which must succeed."""
    lines = "".join(json.dumps(operation) + "\n" for operation in operations)
    subprocess.run([VARVE, "batch", "--strict", store], check=True, input=lines, capture_output=True, text=True)


class Inspector:
    """A process that serves the page of one store."""

    def __init__(self, store: str, *options: str):
        self.process = subprocess.Popen(
            [VARVE, "inspect", store, *options], stdout=subprocess.PIPE, text=True
        )
        self.link = self.process.stdout.readline().split()[1]
        parts = urlsplit(self.link)
        self.origin = f"{parts.scheme}://{parts.netloc}"

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Browser:
    """A headless Chromium with helpers that wait for what they look for."""

    def __init__(self, width: int = 1280, height: int = 900):
        self.folder = tempfile.TemporaryDirectory()
        options = Options()
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--hide-scrollbars", "--force-prefers-reduced-motion", "--force-color-profile=srgb",
            f"--window-size={width},{height}", f"--user-data-dir={self.folder.name}",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(service=Service(driver), options=options)

    def stop(self) -> None:
        self.driver.quit()
        self.folder.cleanup()

    # Looking

    def wait(self, what, message: str = ""):
        """Returns what the function returns once that is true."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                found = what()
                if found:
                    return found
            except Exception as error:  # The page draws anew while it is looked at.
                found = error
            if time.monotonic() > deadline:
                raise AssertionError(f"never: {message or what}; last: {found!r}\n{self.text()[:900]}")
            time.sleep(0.03)

    def one(self, selector: str):
        return self.wait(lambda: self.driver.find_element(By.CSS_SELECTOR, selector), selector)

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str = "body") -> str:
        script = """const one = document.querySelector(arguments[0]);
            return one?.innerText ?? one?.textContent ?? ''"""
        return self.driver.execute_script(script, selector)

    def says(self, text: str, selector: str = "body") -> None:
        self.wait(lambda: text in self.text(selector), f"{selector} says {text!r}")

    def says_no(self, text: str, selector: str = "body") -> None:
        self.wait(lambda: text not in self.text(selector), f"{selector} no longer says {text!r}")

    def focus(self) -> str:
        """What has the focus: its role and its text."""
        script = "const a = document.activeElement; return (a.getAttribute('role') ?? a.tagName) + ' ' + a.innerText"
        return self.driver.execute_script(script)

    def at(self) -> str:
        """The moment of the rows that are shown; empty for now."""
        return self.one(".grid[data-at]").get_attribute("data-at")

    def cell_text(self, id: str) -> str:
        """What the row of an entity says."""
        return self.text(f'.grid-body [data-id="{id}"]')

    @property
    def hash(self) -> str:
        return urlsplit(self.driver.current_url).fragment

    # Doing

    def open(self, inspector: Inspector) -> None:
        self.driver.get(inspector.link)
        self.one("#header nav a[aria-current]")
        self.wait(lambda: self.all(".track rect"), "the time bar is drawn")

    def go(self, address: str) -> None:
        self.driver.execute_script("location.hash = arguments[0]", address)

    def click(self, selector: str) -> None:
        def press():
            self.driver.find_element(By.CSS_SELECTOR, selector).click()
            return True

        self.wait(press, f"click {selector}")

    def press_button(self, text: str, within: str = "body") -> None:
        def press():
            script = """return [...document.querySelector(arguments[0]).querySelectorAll('button, a')]
                .find((one) => one.innerText.trim() === arguments[1] && !one.disabled)"""
            element = self.driver.execute_script(script, within, text)
            if not element:
                return False
            element.click()
            return True

        self.wait(press, f"button {text!r} in {within}")

    def keys(self, *keys: str) -> None:
        """Presses keys one after another, at what has the focus."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def leave(self) -> None:
        """Takes the focus from whatever has it."""
        self.driver.execute_script("document.activeElement.blur()")

    def chord(self, modifier: str, key: str) -> None:
        ActionChains(self.driver).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def drag(self, selector: str, begin: float, end: float, y: float = 0.3, shift: bool = False) -> None:
        """Drags across an element, between fractions of its width."""
        element = self.one(selector)
        width, height = element.size["width"], element.size["height"]
        chain = ActionChains(self.driver, duration=40)
        if shift:
            chain.key_down(Keys.SHIFT)
        across = lambda place: int((place - 0.5) * width)
        down = int((y - 0.5) * height)
        chain.move_to_element_with_offset(element, across(begin), down).click_and_hold()
        chain.move_to_element_with_offset(element, across((begin + end) / 2), down)
        chain.move_to_element_with_offset(element, across(end), down).release()
        if shift:
            chain.key_up(Keys.SHIFT)
        chain.perform()

    # What happened

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requested(self) -> set[str]:
        """The origins that were asked for anything."""
        origins = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            parts = urlsplit(message["params"]["request"]["url"])
            if parts.scheme not in ("chrome", "data", "about"):
                origins.add(f"{parts.scheme}://{parts.netloc}")
        return origins
