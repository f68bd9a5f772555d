"""Writes of the page: each does what its preview says, also if others write meanwhile or the page shows the past."""
import json
import tempfile
import unittest
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from inspector import Browser, Inspector, batch, varve
from test_inspector import PageTest

# Before the page sends a write that states what it was previewed on, another value is written.
RACE = """
    const plain = window.fetch;
    window.fetch = async (path, options) => {
      if (options?.headers?.["If-Match"]) {
        window.fetch = plain;
        await plain(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: arguments[0] });
      }
      return plain(path, options);
    };
"""


class PreviewTest(PageTest):
    options = ("--write", "--author", "sam")

    def setUp(self) -> None:
        super().setUp()
        self.browser.wait(lambda: self.browser.text(".live") == "live")

    def tearDown(self) -> None:
        self.browser.keys(Keys.ESCAPE)
        super().tearDown()

    def value(self, id: str, key: str) -> str:
        return varve("get", self.store, id, key).strip()

    def commits(self) -> int:
        return len(json.loads(varve("log", self.store, "--json", "--limit", "1000"))["result"])

    def confirm(self) -> None:
        page = self.browser
        page.wait(lambda: page.one("[data-name=confirm]").is_enabled())
        page.click("[data-name=confirm]")
        page.wait(lambda: not page.all("dialog"))

    def open_restoring(self, id: str, key: str, version: str = ".version:not(.is-current)") -> None:
        page = self.browser
        page.go(f"#/countries/table?type=Country&entity={id}&key={key}")
        page.click(f"{version} [data-action=restore]")
        page.wait(lambda: page.one("[data-name=confirm]").is_enabled())


class OthersWriteTest(PreviewTest):
    def test_a_value_that_another_writes_meanwhile_is_shown_before_it_is_replaced(self) -> None:
        page = self.browser
        batch(self.store, [{"op": "set", "id": "Country/SZ", "set": {"capital": value}} for value in ("Mbabane", "Lobamba")])
        self.open_restoring("Country/SZ", "capital")
        page.says("Lobamba", "dialog")
        page.says("Mbabane", "dialog ins")
        varve("set", self.store, "Country/SZ", "capital=Manzini", "--author", "ben")
        page.wait(lambda: page.text("dialog del") == "Manzini", "the new preview")
        page.says("Meanwhile ben changed Country/SZ · capital. Nothing was written.", "dialog .remark")
        self.assertEqual(self.value("Country/SZ", "capital"), "Manzini")
        self.confirm()
        self.assertEqual(self.value("Country/SZ", "capital"), "Mbabane")

    def test_a_value_that_changes_in_the_moment_of_the_press_is_not_replaced(self) -> None:
        page = self.browser
        batch(self.store, [{"op": "set", "id": "Country/FJ", "set": {"capital": value}} for value in ("Levuka", "Suva")])
        self.open_restoring("Country/FJ", "capital")
        page.driver.execute_script(RACE, json.dumps({"op": "set", "id": "Country/FJ", "set": {"capital": "Nadi"}}))
        page.driver.execute_script("document.querySelector('[data-name=confirm]').focus()")
        page.keys(Keys.ENTER)
        page.wait(lambda: page.text("dialog del") == "Nadi", "the new preview")
        page.says("Nothing was written", "dialog .remark")
        self.assertEqual(self.value("Country/FJ", "capital"), "Nadi")
        self.confirm()
        self.assertEqual(self.value("Country/FJ", "capital"), "Levuka")
        # The browser notes the refusal of the first write.
        self.assertTrue(all("412" in line for line in page.complaints()))

    def test_one_more_that_would_die_is_shown_before_anything_is_erased(self) -> None:
        page = self.browser
        batch(self.store, [{"op": "transaction", "operations": [
            {"op": "create", "type": "Box", "id": "box"}, {"op": "create", "type": "Thing", "id": "thing-1"},
            {"op": "relate", "from": "box", "kind": "owns", "to": "thing-1"}]}])
        page.go("#/countries/table?type=Box&entity=box")
        page.click("[data-action=erase]")
        page.says("2 entities would die", "dialog")
        batch(self.store, [{"op": "transaction", "author": "ben", "operations": [
            {"op": "create", "type": "Thing", "id": "thing-2"}, {"op": "relate", "from": "box", "kind": "owns", "to": "thing-2"}]}])
        page.says("3 entities would die", "dialog")
        page.says("Meanwhile ben", "dialog .remark")
        self.confirm()
        page.says("box is erased", "#notes")

    def test_what_died_meanwhile_is_not_erased_again(self) -> None:
        page = self.browser
        varve("set", self.store, "gone-1", "--type", "Gone", "name=a")
        page.go("#/countries/table?type=Gone&entity=gone-1")
        page.click("[data-action=erase]")
        page.says("1 entity would die", "dialog")
        varve("erase", self.store, "gone-1", "--author", "ben")
        page.says("nothing would change", "dialog")
        self.assertFalse(page.one("[data-name=confirm]").is_enabled())

    def test_an_entity_that_is_back_meanwhile_is_not_restored_again(self) -> None:
        page = self.browser
        varve("set", self.store, "back-1", "--type", "Back", "name=a")
        varve("erase", self.store, "back-1")
        page.go("#/countries/table?type=Back&entity=back-1")
        page.click("[data-action=restore-entity]")
        page.says("1 entity comes back", "dialog")
        varve("restore", self.store, "back-1")
        page.says("It is live now: nothing would change.", "dialog")
        self.assertFalse(page.one("[data-name=confirm]").is_enabled())

    def test_an_undo_shows_what_a_later_write_keeps(self) -> None:
        page = self.browser
        batch(self.store, [{"op": "set", "id": "Country/IT", "set": {"capital": "Roma", "motto": "a"}, "message": "two values"}])
        page.go("#/countries/commits")
        page.press_button("two values")
        page.click("[data-action=undo]")
        page.says("2 values return to what they were", "dialog")
        varve("set", self.store, "Country/IT", "motto=b", "--author", "ben")
        page.says("1 value returns to what it was", "dialog")
        page.says("1 change stays", "dialog")
        self.confirm()
        page.says("is undone in part: 1 change stays", "#notes")
        self.assertEqual(self.value("Country/IT", "motto"), "b")


class PastTest(PreviewTest):
    def test_a_value_restored_in_the_past_is_previewed_at_present(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&entity=Country/SZ&key=name&at=2018-12-08T00:00:00.000Z")
        page.wait(lambda: page.text(".moment") == "8 Dec 2018")
        page.says("Swaziland", ".version.is-current")
        page.click(".version.is-current [data-action=restore]")
        page.wait(lambda: page.text("dialog del") == "Eswatini", "the present value")
        page.says("it changes the present", "dialog")
        self.confirm()
        self.assertEqual(self.value("Country/SZ", "name"), "Swaziland")

    def test_the_past_offers_no_erasing(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&entity=Country/MT&at=2018-12-08T00:00:00.000Z")
        page.press_button("What would erasing do?", ".side")
        page.says("Nothing is erased here. The page shows 8 Dec 2018", "dialog")
        page.says("entities would die", "dialog")
        self.assertEqual(page.all("[data-name=confirm]"), [])
        page.keys(Keys.ENTER)
        self.assertNotIn("Not done", page.text("#notes"))

    def test_what_was_dead_in_the_past_and_lives_is_not_restored(self) -> None:
        page = self.browser
        at = next(one["time"] for one in json.loads(varve("log", self.store, "--json"))["result"] if "slip" in one["message"])
        page.go(f"#/countries/table?type=Country&entity=Country/GB&at={at}")
        page.click("[data-action=restore-entity]")
        page.says("It is live now: nothing would change.", "dialog")
        self.assertFalse(page.one("[data-name=confirm]").is_enabled())


class UndoTest(PreviewTest):
    def test_an_undo_shows_the_values_and_the_commit_says_that_it_is_undone(self) -> None:
        page = self.browser
        batch(self.store, [{"op": "set", "id": "Country/ES", "set": {"capital": value}, "message": message, "author": "ana"}
                           for value, message in (("Toledo", "first"), ("Madrid", "a new capital"))])
        page.go("#/countries/commits")
        page.press_button("a new capital")
        page.click("[data-action=undo]")
        page.says("Undo “a new capital”", "dialog h2")
        self.assertEqual(page.all("dialog [aria-label='Your name']"), [], "the server names the author")
        page.wait(lambda: (page.text("dialog del"), page.text("dialog ins")) == ("Madrid", "Toledo"))
        reach = "return [...document.querySelectorAll('.dialog-foot [aria-label=Why]')].length"
        self.assertEqual(page.driver.execute_script(reach), 1, "the reason stands beside the buttons")
        self.confirm()
        page.says("Undone by", ".undone-by")
        before = self.commits()
        page.click("[data-action=undo]")
        page.says("Nothing would change.", "dialog")
        self.assertFalse(page.one("[data-name=confirm]").is_enabled())
        self.assertEqual(self.commits(), before)


class NameTest(PageTest):
    """A page whose server names no author."""

    options = ("--write",)

    def test_the_page_asks_who_writes(self) -> None:
        page = self.browser
        varve("set", self.store, "mine-1", "--type", "Mine", "name=a")
        page.go("#/countries/table?type=Mine&entity=mine-1")
        page.click("[data-action=erase]")
        page.wait(lambda: page.one("[data-name=confirm]").is_enabled())
        page.one("dialog [aria-label='Your name']").send_keys("zoe")
        page.click("[data-name=confirm]")
        page.wait(lambda: not page.all("dialog"))
        self.assertEqual(json.loads(varve("log", self.store, "--json", "--limit", "1"))["result"][0]["author"], "zoe")
        page.click("[data-action=restore-entity]")
        page.wait(lambda: page.one("dialog [aria-label='Your name']").get_attribute("value") == "zoe", "it is asked once")
        page.keys(Keys.ESCAPE)
        page.wait(lambda: not page.all("dialog"))


class InboxTest(unittest.TestCase):
    """Conflicts, of which each test has a store of its own."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.store = str(Path(self.folder.name) / "apart.varve")
        varve("init", self.store)
        varve("set", self.store, "hat", "--type", "Hat", "size=1", "color=red")
        copy = str(Path(self.folder.name) / "copy.varve")
        varve("sync", self.store, copy, "--create")
        varve("set", copy, "hat", "size=2", "color=blue", "--author", "ana")
        varve("set", self.store, "hat", "size=3", "color=green", "--author", "ben")
        varve("merge", copy, self.store)
        self.inspector = Inspector(self.store, "--write", "--author", "sam")
        self.browser = Browser()
        self.browser.open(self.inspector)
        self.browser.keys("g", "i")
        self.browser.says("2 conflicts")
        self.browser.wait(lambda: self.browser.text(".live") == "live")

    def tearDown(self) -> None:
        self.assertEqual(self.browser.complaints(), [])
        self.browser.stop()
        self.inspector.stop()
        self.folder.cleanup()

    def test_a_conflict_that_another_settles_leaves_the_inbox(self) -> None:
        page = self.browser
        page.click("[data-conflict=color] .side-of:nth-child(3) input")
        page.click("[data-conflict=size] .side-of:nth-child(3) input")
        page.says("Settle 2 in one commit")
        varve("set", self.store, "hat", "color=CLI wins", "--author", "cleo")
        page.wait(lambda: not page.all("[data-conflict=color]"), "the card goes")
        page.says("Meanwhile cleo changed hat · color. What you chose for hat · color was dropped", ".remark")
        self.assertTrue(page.one("[data-conflict=size] .side-of:nth-child(3) input").is_selected(), "the other choice stays")
        page.driver.execute_script("document.querySelector('[data-action=settle]').focus()")
        page.keys(Keys.ENTER)
        page.says("Nothing to decide")
        self.assertEqual(varve("get", self.store, "hat", "color").strip(), "CLI wins")
        self.assertEqual(varve("get", self.store, "hat", "size").strip(), "2")

    def test_a_value_that_is_being_typed_stays_while_another_card_goes(self) -> None:
        page = self.browser
        page.one("[data-conflict=size] input[type=text]").send_keys("mid")
        varve("set", self.store, "hat", "color=grey")
        page.wait(lambda: not page.all("[data-conflict=color]"), "the card goes")
        page.keys("dle")
        self.assertEqual(page.one("[data-conflict=size] input[type=text]").get_attribute("value"), "middle")
        page.click("[data-action=settle]")
        page.says("Nothing to decide")
        self.assertEqual(varve("get", self.store, "hat", "size").strip(), "middle")


if __name__ == "__main__":
    unittest.main()
