"""The time bar on stores that are not like the lists of countries: many commits, folded and awaited history."""
import json
import os
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from inspector import VARVE, Browser, Inspector, batch, varve
from stores import StoreTest


def log(store: str) -> list[dict]:
    """The commits, newest first."""
    return json.loads(varve("log", store, "--json", "--limit", "100000"))["result"]


def name(commit: dict) -> str:
    """A commit as the address names it."""
    return f"{commit['replica']}:{commit['sequence']}:{commit['hash']}"


def tied(commits: list[dict]) -> tuple[dict, dict]:
    """Two neighbours of one millisecond, the newer first."""
    return next((one, other) for one, other in zip(commits, commits[1:]) if one["time"] == other["time"])


# Notes each reply to a request that names what the page has.
WATCH = """
    window.replies = [];
    const plain = window.fetch;
    window.fetch = async (path, options) => {
      const reply = await plain(path, options);
      if (options?.headers?.["Varve-Result"]) window.replies.push(reply.status);
      return reply;
    };
"""


class ManyCommitsTest(StoreTest):
    """Steps of the time bar, where there are too many commits to list."""

    name = "many"

    @classmethod
    def make(cls) -> None:
        varve("init", cls.store)
        creations = [{"op": "create", "type": "Item", "id": f"item-{n}", "set": {"count": 0}} for n in range(100)]
        writes = [{"op": "set", "id": f"item-{n % 100}", "set": {"count": n}} for n in range(2_100)]
        batch(cls.store, [{"op": "transaction", "operations": creations}, *writes])

    def setUp(self) -> None:
        page = self.browser
        page.go("#/many/table?type=Item&scale=commits")
        page.wait(lambda: page.text(".moment") == "Now" and page.at() == "")
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")

    def press(self, key: str, count: int) -> None:
        """Presses a key faster than a person does."""
        script = """const slider = document.querySelector('[role=slider]');
            for (let n = 0; n < arguments[1]; n += 1) slider.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0], bubbles: true }))"""
        self.browser.driver.execute_script(script, key, count)

    def settled(self) -> str:
        """The moment at which the handle has come to rest."""
        page = self.browser
        page.wait(lambda: page.text(".moment") != "Now" and page.at().split(":")[-1][:8] == page.text(".moment")[7:], "the rows are of the moment")
        return page.at()

    def test_steps_that_come_fast_all_count(self) -> None:
        page = self.browser
        self.press("ArrowLeft", 13)
        thirteen = self.rest()
        page.keys("n")
        page.wait(lambda: page.text(".moment") == "Now")
        page.keys(Keys.PAGE_DOWN)
        self.rest()
        page.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        self.assertEqual(self.rest(), thirteen)
        page.keys(Keys.END)
        page.wait(lambda: page.text(".moment") == "Now")

    def rest(self) -> str:
        """Returns the moment once it stays."""
        page = self.browser
        last = ""
        def stays() -> bool:
            nonlocal last
            before, last = last, self.settled()
            time.sleep(0.3)
            return before == last == self.settled()
        page.wait(stays, "the handle rests")
        return last

    def replies(self) -> list[int]:
        return self.browser.driver.execute_script("return window.replies.splice(0)")

    def test_rows_that_stay_the_same_are_not_sent_again(self) -> None:
        page = self.browser
        page.driver.execute_script(WATCH)
        commits = log(self.store)
        # The newest commits wrote to the last rows, which are not in sight.
        page.go(f"#/many/table?type=Item&scale=commits&at={name(commits[3])}")
        page.wait(lambda: page.at() == name(commits[3]))
        time.sleep(1)
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")
        page.keys(Keys.ARROW_LEFT)
        page.wait(lambda: page.at() == name(commits[4]))
        time.sleep(1)
        self.replies()
        page.keys(Keys.ARROW_LEFT)
        page.wait(lambda: page.at() == name(commits[5]), "by keyboard")
        page.click('[data-name="next"]')
        page.wait(lambda: page.at() == name(commits[4]), "by mouse")
        time.sleep(1)
        replies = self.replies()
        self.assertGreaterEqual(len(replies), 2)
        self.assertEqual(set(replies), {204})
        # The number 2,005 went to item-5, which is in sight.
        newer, older = commits[2_099 - 2_005], commits[2_099 - 2_004]
        page.go(f"#/many/table?type=Item&scale=commits&at={name(newer)}")
        page.wait(lambda: "2005" in page.cell_text("item-5"))
        self.replies()
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")
        page.keys(Keys.ARROW_LEFT)
        page.wait(lambda: page.at() == name(older))
        self.assertIn("1905", page.cell_text("item-5"))
        self.assertIn(200, self.replies())

    def test_the_moment_stays_when_the_bar_shows_other_times(self) -> None:
        page = self.browser
        commits = log(self.store)
        chosen = commits[1_000]
        page.go(f"#/many/table?type=Item&scale=commits&at={name(chosen)}")
        page.wait(lambda: page.at() == name(chosen))
        page.click('.time-controls [data-name="dates"]')
        page.wait(lambda: page.at() == chosen["time"], "the date of the commit")
        page.wait(lambda: page.driver.execute_script("return document.querySelector('.time-controls [data-name=dates]').ariaPressed") == "true")
        page.click('.time-controls [data-name="commits"]')
        page.wait(lambda: page.at().count(":") == 2 and len(page.at()) > 64, "a commit again")
        newest = next(one for one in commits if one["time"] == chosen["time"])
        self.assertEqual(page.at(), name(newest), "the last of its millisecond")
        page.go("#/many/table?type=Item&scale=dates&at=2001-01-01T00:00:00.000Z")
        page.wait(lambda: page.at().startswith("2001"))
        page.click('.time-controls [data-name="commits"]')
        page.wait(lambda: page.at() == name(commits[-1]), "before all commits: the first")

    def test_commits_of_one_millisecond_are_steps(self) -> None:
        page = self.browser
        newer, older = tied(log(self.store))
        page.go(f"#/many/table?type=Item&scale=commits&at={name(newer)}")
        page.wait(lambda: page.at() == name(newer))
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")
        page.keys(Keys.ARROW_LEFT)
        page.wait(lambda: page.at() == name(older), "back, by keyboard")
        page.keys(Keys.ARROW_RIGHT)
        page.wait(lambda: page.at() == name(newer), "forth, by keyboard")
        page.click('[data-name="previous"]')
        page.wait(lambda: page.at() == name(older), "by mouse")

    def test_a_link_to_an_old_commit_shows_where_it_is(self) -> None:
        page = self.browser
        first = log(self.store)[-1]
        page.go(f"#/many/table?type=Item&scale=commits&at={first['hash'][:12]}")
        left = "return parseFloat(document.querySelector('.handle').style.left)"
        page.wait(lambda: page.driver.execute_script(left) < 200, "the handle is at the beginning")
        page.says("had seen, ", "#time")

    def test_a_row_that_does_not_change_is_not_drawn_anew(self) -> None:
        page = self.browser
        page.keys(Keys.ARROW_LEFT)
        before = self.rest()
        page.driver.execute_script("for (const row of document.querySelectorAll('.grid-body .row')) row.isOld = true")
        bars = page.driver.execute_script("return document.querySelector('.bars').firstElementChild")
        page.keys(Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        page.wait(lambda: self.rest() != before)
        rows = page.driver.execute_script("""const rows = [...document.querySelectorAll('.grid-body .row')];
            return [rows.length, rows.filter((row) => row.isOld).length]""")
        self.assertGreater(rows[1], 10)
        self.assertLessEqual(rows[0] - rows[1], 60)
        self.assertEqual(page.driver.execute_script("return document.querySelector('.bars').firstElementChild"), bars, "a step does not draw the bars anew")


class HorizonTest(unittest.TestCase):
    def test_the_bar_marks_up_to_when_history_was_folded(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder) / "folded.varve")
            varve("init", store)
            for color in ("red", "green", "blue"):
                varve("set", store, "hat-1", "--type", "Hat", f"color={color}")
            time.sleep(1.1)
            batch(store, [{"op": "compact", "keeping": 1}])
            inspector, page = Inspector(store), Browser()
            try:
                page.open(inspector)
                page.go("#/folded/table?type=Hat&scale=dates")
                page.wait(lambda: page.all(".bars .horizon"))
                title = page.driver.execute_script("return document.querySelector('.bars .folded title').textContent")
                self.assertIn("was folded", title)
                page.says("was folded", ".time-remark")
                self.assertEqual(page.complaints(), [])
            finally:
                page.stop()
                inspector.stop()


class FewCommitsTest(unittest.TestCase):
    def test_commits_of_one_millisecond_are_steps(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder) / "few.varve")
            varve("init", store)
            batch(store, [{"op": "create", "type": "Item", "id": f"item-{n}"} for n in range(400)])
            newer, older = tied(log(store))
            inspector, page = Inspector(store), Browser()
            try:
                page.open(inspector)
                page.go(f"#/few/table?type=Item&scale=commits&at={name(newer)}")
                page.wait(lambda: page.at() == name(newer))
                page.driver.execute_script("document.querySelector('[role=slider]').focus()")
                page.keys(Keys.ARROW_LEFT)
                page.wait(lambda: page.at() == name(older), "back")
                page.keys(Keys.ARROW_RIGHT)
                page.wait(lambda: page.at() == name(newer), "forth")
                self.assertEqual(page.complaints(), [])
            finally:
                page.stop()
                inspector.stop()


class DeadDatesTest(unittest.TestCase):
    def test_the_bar_says_which_of_the_dead_do_not_count(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder) / "dead.varve")
            varve("init", store)
            ids = [f"hat-{n}" for n in range(1_050)]
            batch(store, [
                {"op": "transaction", "operations": [{"op": "create", "type": "Hat", "id": id} for id in ids]},
                {"op": "erase", "ids": ids[:50]},
            ])
            inspector, page = Inspector(store), Browser()
            try:
                page.open(inspector)
                page.go("#/dead/table?type=Hat&scale=dates")
                page.wait(lambda: page.text(".live") == "live")
                self.assertFalse(page.one(".time-remark").is_displayed(), "all of them count")
                batch(store, [{"op": "erase", "ids": ids[50:]}])
                page.says("The bars count the newest 1,000 of 1,050 erased or dead entities.", ".time-remark")
                page.press_button("Commits", "#time")
                page.wait(lambda: not page.one(".time-remark").is_displayed(), "commits all count")
                self.assertEqual(page.complaints(), [])
            finally:
                page.stop()
                inspector.stop()


def half_received(folder: str) -> str:
    """A store that has the present and awaits history: its first synchronisation was ended."""
    whole = str(Path(folder) / "whole.varve")
    varve("init", whole)
    writes = [{"op": "set", "id": f"item-{n % 200}", "set": {"count": n}} for n in range(3_000)]
    creations = [{"op": "create", "type": "Item", "id": f"item-{n}", "set": {"count": 0}} for n in range(200)]
    batch(whole, [*creations, *writes])
    for attempt in range(20):
        store = str(Path(folder) / f"half-{attempt}.varve")
        process = subprocess.Popen(
            [VARVE, "sync", whole, store, "--create", "--present-first"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while process.poll() is None:
            if awaits(store) == 1:
                process.kill()
        process.wait()
        if awaits(store) == 1:
            final = str(Path(folder) / "half.varve")
            for end in ("", "-wal"):
                if os.path.exists(store + end):
                    os.rename(store + end, final + end)
            return final
    raise AssertionError("the history always arrived before the process could be ended")


def awaits(store: str) -> int:
    """What a store awaits, as Documentation/Formats.md describes it: 1 is history."""
    try:
        connection = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=0)
        try:
            found = connection.execute("SELECT value FROM varve_meta WHERE key = 'awaits'").fetchone()
        finally:
            connection.close()
        return found[0] if found else 0
    except sqlite3.Error:
        return 0


class AwaitedTest(unittest.TestCase):
    def test_the_bar_marks_history_that_has_not_arrived(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = half_received(folder)
            inspector, page = Inspector(store), Browser()
            try:
                page.open(inspector)
                page.go("#/half/table?type=Item&scale=dates")
                page.says("200 entities", ".caption")
                page.wait(lambda: page.all(".bars .awaited"))
                title = page.driver.execute_script("return document.querySelector('.bars .awaited title').textContent")
                self.assertIn("has not arrived yet, and 3,", title)
                self.assertIn("awaited", page.text(".bars"))
                page.says("has not arrived yet", ".time-remark")
                page.press_button("Commits", "#time")
                page.wait(lambda: page.all(".bars .mark-awaited"), "the commits that are here in part")
                page.driver.execute_script("document.querySelector('[role=slider]').focus()")
                page.keys(Keys.HOME)
                page.says("history that has not arrived yet", ".caption")
                self.assertEqual(page.all(".grid-body .row"), [], "no rows of another moment")
                page.keys("g", "o")
                page.says("history that has not arrived yet", ".tree")
                page.keys("n", "g", "t")
                page.says("200 entities", ".caption")
                page.wait(lambda: page.all(".grid-body .row"))
                varve("sync", str(Path(folder) / "whole.varve"), store)
                page.wait(lambda: not page.all(".bars .awaited, .bars .mark-awaited"), "it has arrived")
                self.assertEqual(page.complaints(), [])
            finally:
                page.stop()
                inspector.stop()


if __name__ == "__main__":
    unittest.main()
