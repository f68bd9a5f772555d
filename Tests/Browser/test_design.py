"""What a designer missed: rows that stay in sight, names, where a moment stands, what follows at the side."""
import json
import unittest

from selenium.webdriver.common.keys import Keys

from inspector import batch, varve
from stores import StoreTest

TARGET = 24


class DesignTest(StoreTest):
    """A store whose rows come before others as time passes, with names, wide tables and two authors."""

    name = "design"
    options = ("--write", "--author", "sam")

    @classmethod
    def make(cls) -> None:
        varve("init", cls.store)
        people = [{"op": "create", "type": "Person", "id": f"p{n:03}", "at": "2018-06-01",
                   "set": {"name": f"Person {n:03}", "note": "ǘ̵̡͖̩͇͎" * 3 if n == 150 else "plain"}} for n in range(100, 200)]
        before = [{"op": "create", "type": "Person", "id": f"p{n:03}", "at": "2019-06-01", "set": {"name": f"Person {n:03}"}} for n in range(0, 60)]
        wide = {f"key_{n:02}": "a value of some length" for n in range(20)}
        batch(cls.store, [
            {"op": "transaction", "operations": people, "author": "ana", "message": "people"},
            {"op": "transaction", "operations": before, "author": "ben", "message": "more people"},
            {"op": "create", "type": "Wide", "id": "w1", "set": wide | {"name": "The wide one", "short": "x"}, "author": "ben"},
            {"op": "relate", "from": "w1", "kind": "owns", "to": "p150", "author": "ben"},
            {"op": "set", "id": "p150", "set": {"note": "changed"}, "author": "ben", "message": "the last one"},
        ])

    def setUp(self) -> None:
        self.browser.go("#/design/table?type=Person")
        self.browser.wait(lambda: self.browser.text(".moment") == "Now" and self.browser.at() == "")
        self.browser.driver.execute_script("document.querySelector('.grid-viewport').scrollTop = 0")

    def hashes(self) -> list[dict]:
        return json.loads(varve("log", self.store, "--json", "--limit", "100"))["result"]

    def top_of(self, id: str) -> float:
        return self.browser.driver.execute_script(
            "return document.querySelector(`.grid-body [data-id='${arguments[0]}']`)?.getBoundingClientRect().top ?? -1", id)

    def test_a_step_in_time_keeps_the_chosen_entity_in_sight(self) -> None:
        page = self.browser
        page.go("#/design/table?type=Person&order=%40id&entity=p110&at=2018-12-31T00:00:00.000Z")
        page.wait(lambda: page.at().startswith("2018") and self.top_of("p110") > 0)
        before = self.top_of("p110")
        page.go("#/design/table?type=Person&order=%40id&entity=p110&at=2019-12-31T00:00:00.000Z")
        page.wait(lambda: page.at().startswith("2019"))
        page.wait(lambda: abs(self.top_of("p110") - before) < 2, "60 rows came before it, and it stands where it stood")
        page.wait(lambda: page.driver.execute_script("return document.querySelectorAll('.grid-body .row').length") > 15)

    def test_a_step_in_time_keeps_the_focus_on_the_entity(self) -> None:
        page = self.browser
        page.go("#/design/table?type=Person&order=%40id&at=2018-12-31T00:00:00.000Z")
        page.wait(lambda: page.at().startswith("2018") and self.top_of("p105") > 0)
        page.driver.execute_script("document.querySelector('.grid-body [data-id=p105] .cell').focus()")
        page.go("#/design/table?type=Person&order=%40id&at=2019-12-31T00:00:00.000Z")
        focused = "return document.activeElement.closest('.row')?.dataset.id"
        page.wait(lambda: page.at().startswith("2019") and page.driver.execute_script(focused) == "p105")
        page.keys(Keys.ARROW_DOWN)
        page.wait(lambda: page.driver.execute_script(focused) == "p106", "the keys go on from there")

    def test_names_come_before_identifiers(self) -> None:
        page = self.browser
        page.go("#/design/table?type=Person&entity=p150")
        page.wait(lambda: page.text(".entity-head h2") == "Person 150")
        page.says("p150", ".entity-head .identifier")
        page.wait(lambda: "The wide one w1" in " ".join(page.text(".chips").split()), "owners have names")
        page.click("[data-action=erase]")
        page.wait(lambda: " ".join(page.text(".dialog-head h2").split()) == "Erase Person 150 p150")
        page.keys(Keys.ESCAPE)

    def test_a_year_ends(self) -> None:
        page = self.browser
        for at, text in (("2018-12-31T23:59:59.999Z", "End of 2018"), ("2018-04-30T23:59:59.999Z", "End of Apr 2018"),
                         ("2018-04-12T23:59:59.999Z", "End of 12 Apr 2018"), ("2018-04-12T00:00:00.000Z", "12 Apr 2018")):
            page.go(f"#/design/table?at={at}")
            page.wait(lambda: page.text(".moment") == text, text)

    def test_commits_show_where_the_moment_stands(self) -> None:
        page = self.browser
        commit = self.hashes()[2]
        page.go(f"#/design/commits?at={commit['replica']}:{commit['sequence']}:{commit['hash']}")
        page.wait(lambda: page.one(".commits [aria-current]").get_attribute("data-hash") == commit["hash"])
        page.go("#/design/commits?at=2001-01-01T00:00:00.000Z")
        page.says("1 Jan 2001: all of these were written later", ".commits")
        self.assertEqual(page.all(".commits [aria-current]"), [])

    def test_an_author_is_summed_up(self) -> None:
        page = self.browser
        page.go("#/design/commits?author=ben")
        page.says("What ben changed", ".summary")
        page.says("added 61 entities, changed", ".summary")
        page.says("note (1)", ".summary")

    def test_changes_open_with_the_last_one(self) -> None:
        page = self.browser
        page.go("#/design/changes")
        page.says("The last change: the last one, ben", ".lead")
        page.wait(lambda: "Person 150 p150" in page.text(".changed-entity"))

    def test_more_columns_are_announced_and_reached(self) -> None:
        page = self.browser
        page.go("#/design/table?type=Wide")
        page.wait(lambda: "more column" in page.text(".more-columns"))
        widths = page.driver.execute_script("""return Object.fromEntries([...document.querySelectorAll('.grid-head [role=columnheader]')]
            .map((cell) => [cell.innerText.trim(), cell.getBoundingClientRect().width]))""")
        self.assertLess(widths["short"], widths["key_00"])
        before = page.text(".more-columns")
        page.click("[data-action=more-columns]")
        page.wait(lambda: page.text(".more-columns") != before)

    def test_unknown_views_and_types_are_named(self) -> None:
        page = self.browser
        page.go("#/design/nonsense")
        page.says("There is no view “nonsense”", "#notes")
        page.wait(lambda: "/table" in page.hash)
        page.go("#/design/table?type=Persn")
        page.says("There is no type “Persn”", ".caption")

    def test_what_is_pressed_is_large_enough(self) -> None:
        page = self.browser
        small = """return [...document.querySelectorAll('button, .chips a, select, [role=option]')]
            .filter((one) => one.offsetParent && Math.round(one.getBoundingClientRect().height) < arguments[0]).map((one) => one.outerHTML.slice(0, 120))"""
        for address in ("table?type=Person&entity=p150&key=note", "commits?author=ben", "changes", "owners", "inbox", "copies"):
            page.go(f"#/design/{address}")
            page.wait(lambda: page.text("#main").strip())
            self.assertEqual(page.driver.execute_script(small, TARGET), [], address)

    def test_marks_of_letters_stay_in_their_cells(self) -> None:
        page = self.browser
        page.go("#/design/table?type=Person&entity=p150&at=2018-12-31T00:00:00.000Z")
        page.wait(lambda: "note" in page.text(".side"))
        clips = "return [...document.querySelectorAll('.side .value .content')].map((one) => getComputedStyle(one).overflowY)"
        self.assertEqual(set(page.driver.execute_script(clips)), {"clip"})

    def test_the_bar_says_that_it_cannot_be_read(self) -> None:
        page = self.browser
        page.driver.execute_script("""window.plain = window.fetch;
            window.fetch = async (path, options) => String(options?.body ?? '').includes('timeline')
              ? new Response('{"ok":false,"error":{"code":"busy","message":"it is busy"}}\\n') : window.plain(path, options)""")
        try:
            page.go("#/design/table?type=Person&scale=commits")
            page.says("The bar cannot be drawn", ".time-remark")
            page.wait(lambda: page.all(".track.is-failed"))
        finally:
            page.driver.execute_script("window.fetch = window.plain")
        page.click('[data-name="retry"]')
        page.wait(lambda: not page.all(".track.is-failed") and not page.all('[data-name="retry"]'))

    def test_the_time_bar_stays_above_an_entity_on_a_phone(self) -> None:
        page = self.browser
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False})
        try:
            page.go("#/design/table?type=Person&entity=p150")
            page.wait(lambda: page.text(".entity-head h2") == "Person 150")
            over = """const handle = document.querySelector('[role=slider]').getBoundingClientRect();
                const side = document.querySelector('.side').getBoundingClientRect();
                return side.top >= handle.bottom - 1 && side.top < innerHeight / 2"""
            page.wait(lambda: page.driver.execute_script(over), "the handle is above the entity")
        finally:
            page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


if __name__ == "__main__":
    unittest.main()
