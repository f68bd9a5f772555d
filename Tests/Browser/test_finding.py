"""Going to what is named, by mouse and by keyboard; and how what is odd or dead is shown."""
import unittest

from selenium.webdriver.common.keys import Keys

from inspector import batch, varve
from test_inspector import PageTest


class GoToTest(PageTest):
    def search(self, words: str) -> None:
        page = self.browser
        page.leave()
        page.chord(Keys.CONTROL, "k")
        page.one("dialog [role=combobox]")
        page.keys(*words)

    def tearDown(self) -> None:
        self.browser.keys(Keys.ESCAPE)
        super().tearDown()

    def test_what_an_author_changed_comes_first(self) -> None:
        page = self.browser
        for words in ("ben", "what ben"):
            self.search(words)
            page.wait(lambda: page.text("dialog [role=option]").startswith("What ben changed"), words)
            page.keys(Keys.ESCAPE)
            page.wait(lambda: not page.all("dialog"))

    def test_a_day_that_no_month_has_is_no_date(self) -> None:
        page = self.browser
        self.search("2021-02-30")
        page.says("Nothing is called so.", "dialog")
        page.keys(Keys.BACKSPACE, Keys.BACKSPACE, *"28")
        page.says("what held at this date", "dialog")

    def test_a_chosen_entity_is_in_sight_and_has_the_focus(self) -> None:
        page = self.browser
        self.search("zimbabwe")
        page.says("Country/ZW", "dialog")
        page.keys(Keys.ENTER)
        page.says("Country/ZW", ".side")
        page.wait(lambda: page.focus() == "gridcell Country/ZW", "its row has the focus")
        inside = """const [row, view] = ['[data-id="Country/ZW"]', '.grid-viewport'].map((one) => document.querySelector(one).getBoundingClientRect());
            return row.top >= view.top && row.bottom <= view.bottom + 1"""
        self.assertTrue(page.driver.execute_script(inside))
        page.keys(Keys.ARROW_UP)
        page.wait(lambda: page.focus() == "gridcell Country/ZM", "the keys go on from there")

    def test_escape_in_the_panel_returns_to_the_row(self) -> None:
        page = self.browser
        page.driver.execute_script("document.querySelector('.grid-viewport').scrollTop = 0")
        page.click('[data-id="Country/AF"] .cell:nth-child(2)')
        page.wait(lambda: page.all(".side [data-action=why]"))
        page.driver.execute_script("document.querySelector('.side [data-action=why]').focus()")
        page.keys(Keys.ESCAPE)
        page.wait(lambda: not page.one(".side").is_displayed())
        self.assertEqual(page.focus(), "gridcell Country/AF")


class OddTest(PageTest):
    def test_an_erased_entity_is_found_by_its_name(self) -> None:
        page = self.browser
        varve("erase", self.store, "Country/MT", "--author", "ben", "--message", "a slip")
        page.wait(lambda: page.text(".live") == "live")
        page.chord(Keys.CONTROL, "k")
        page.keys(*"malt")
        page.says("erased · Country/MT", "dialog")
        page.keys(Keys.ESCAPE)
        page.go("#/countries/table?type=Subdivision&dead=1&entity=Subdivision/MT-01")
        page.says("Died with Country/MT, which was erased", ".side")
        page.says("by ben", ".side")
        page.says("a slip", ".side")

    def test_the_past_does_not_count_who_is_dead_now(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&at=2016-11-27T00:00:00.000Z")
        page.wait(lambda: page.text("[data-action=dead]").strip() == "Erased")
        page.click("[data-action=dead]")
        page.says("0 erased or dead", ".caption")

    def test_characters_that_turn_others_are_seen(self) -> None:
        page = self.browser
        batch(self.store, [{"op": "transaction", "author": "b\u202een", "message": "turned", "operations": [
            {"op": "create", "type": "Odd", "id": "odd-1", "set": {"name": "", "text": "a\u202eb"}}]}])
        page.go("#/countries/table?type=Odd&entity=odd-1")
        page.wait(lambda: "a[U+202E]b" in page.cell_text("odd-1"))
        page.says("a[U+202E]b", ".side")
        page.says("empty text", '.side [data-key="name"]')
        page.go("#/countries/commits")
        page.says("b[U+202E]en", ".commits")


if __name__ == "__main__":
    unittest.main()
