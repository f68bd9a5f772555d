"""The inspector in a browser: what a person does by mouse and by keyboard, on the lists of countries."""
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from inspector import Browser, batch, varve
from stores import StoreTest

VIEWS = ("table", "changes", "commits", "owners", "inbox", "copies")


class PageTest(StoreTest):
    """Tests of one page on the lists of countries, which asks only its own origin."""

    @classmethod
    def make(cls) -> None:
        shutil.copy(demo(), cls.store)

    def setUp(self) -> None:
        self.browser.go("#/countries/table?type=Country")
        self.browser.wait(lambda: self.browser.text(".moment") == "Now", "the page shows the present")
        self.browser.says("Country", ".caption")
        self.browser.leave()

    def tearDown(self) -> None:
        super().tearDown()
        self.assertLessEqual(self.browser.requested(), {self.inspector.origin})

    def cell(self, id: str, column: str) -> str:
        script = """const heads = [...document.querySelectorAll('[role=columnheader]')].map((head) => head.innerText.trim());
            const row = document.querySelector(`[data-id="${arguments[0]}"]`);
            return row?.children[heads.indexOf(arguments[1])]?.innerText ?? ''"""
        return self.browser.driver.execute_script(script, id, column)

    def is_in(self, id: str, column: str, text: str) -> None:
        self.browser.wait(lambda: text in self.cell(id, column), f"{column} of {id} is {text}")


DEMO = tempfile.TemporaryDirectory()


def demo() -> str:
    """The store of the demo, made once."""
    path = os.path.join(DEMO.name, "demo.varve")
    if not os.path.exists(path):
        varve("demo", "Examples/Countries", "--store", path)
    return path


class ReadingTest(PageTest):
    def test_time_bar_by_mouse(self) -> None:
        page = self.browser
        page.drag(".track", 0.98, 0.13)
        page.wait(lambda: page.text(".moment") == "27 Nov 2016", "the handle stops at the first change")
        page.click(".track")
        page.wait(lambda: page.text(".moment") not in ("27 Nov 2016", "Now"), "a press goes there")
        page.drag(".track", 0.5, 0.99)
        page.wait(lambda: page.text(".moment") == "Now", "the end is now, and sticks")
        page.drag(".track", 0.3, 0.5, shift=True)
        page.wait(lambda: "from=" in page.hash, "a brush zooms")
        page.press_button("Whole history")
        page.wait(lambda: "from=" not in page.hash)
        page.press_button("Commits", "#time")
        page.wait(lambda: "iso-codes" in page.text(".bars"), "lanes by author")
        page.driver.execute_script("""const s = document.querySelector('#time select'); s.value = 'replica';
            s.dispatchEvent(new Event('change'))""")
        page.wait(lambda: "iso-codes" not in page.text(".bars") and page.all(".lane-2"), "lanes by replica")

    def test_time_bar_by_keyboard(self) -> None:
        page = self.browser
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")
        page.keys(Keys.HOME)
        page.wait(lambda: page.text(".moment") == "27 Nov 2016")
        page.keys(Keys.ARROW_RIGHT)
        page.wait(lambda: page.text(".moment") == "8 Dec 2018")
        self.assertIn("8 Dec 2018", page.one("[role=slider]").get_attribute("aria-valuetext"))
        page.keys("+")
        page.wait(lambda: "from=" in page.hash)
        page.keys("0")
        page.wait(lambda: "from=" not in page.hash)
        page.keys(Keys.END)
        page.wait(lambda: page.text(".moment") == "Now")
        page.leave()
        page.keys("[")
        page.wait(lambda: page.text(".moment") != "Now", "[ steps from anywhere")
        page.keys("n")
        page.wait(lambda: page.text(".moment") == "Now")

    def test_commits_are_states_of_their_authors(self) -> None:
        page = self.browser
        page.press_button("Commits", "#time")
        page.wait(lambda: "iso-codes" in page.text(".bars"))
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")
        page.keys(Keys.HOME)
        page.says("What iso-codes had seen", "#time")
        self.is_in("Country/AF", "name", "Afghanistan")
        page.wait(lambda: "Country\n249" in page.text(".types"))

    def test_grid_by_mouse(self) -> None:
        page = self.browser
        page.press_button("Subdivision\n5,046", ".types")
        page.says("5,046 entities", ".caption")
        self.assertLess(len(page.all(".grid-body .row")), 120)
        page.driver.execute_script("document.querySelector('.grid-viewport').scrollTop = 90000")
        page.wait(lambda: page.all('[aria-rowindex="3010"]'), "rows come into sight")
        page.press_button("name", ".grid-head")
        page.wait(lambda: page.all('[aria-sort="ascending"]'))
        page.click('[aria-sort="ascending"] .sorter')
        page.wait(lambda: page.all('[aria-sort="descending"]'))
        page.press_button("Columns")
        page.click('dialog input[value="parent"]')
        page.press_button("Show these", "dialog")
        page.wait(lambda: "parent" not in page.text(".grid-head"))

    def test_grid_by_keyboard(self) -> None:
        page = self.browser
        page.keys("/")
        page.wait(lambda: page.focus().startswith("INPUT"))
        page.keys(*"swazi")
        page.says("0 of 249", ".caption")
        page.keys(*[Keys.BACKSPACE] * 5, *"eswa")
        page.says("1 of 249", ".caption")
        page.keys(Keys.ARROW_DOWN)
        page.wait(lambda: page.focus() == "gridcell Eswatini", "the focus is in the grid")
        page.keys(Keys.ARROW_LEFT)
        page.wait(lambda: page.focus() == "gridcell Country/SZ")
        page.keys(Keys.ENTER)
        page.says("Kingdom of Eswatini", ".side")
        page.leave()
        page.keys(Keys.ESCAPE)
        page.wait(lambda: not page.one(".side").is_displayed())

    def test_filters_are_typed(self) -> None:
        page = self.browser
        for where, expected in (
            ("numeric=%3D748", "1 of 249"), ("name=%5EUnited", "4 of 249"), ("capital=any", "1 of 249"),
        ):
            page.go(f"#/countries/table?type=Country&where={where.replace('%', '%25').replace('=', '%3D')}")
            page.says(expected, ".caption")

    def test_pinned_moment(self) -> None:
        page = self.browser
        page.keys("p")
        page.says("now", ".pinned")
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")
        page.keys(Keys.HOME)
        page.go(page.hash + "&where=name%3Dswazi")
        marked = lambda: page.one('[data-id="Country/SZ"] .changed .dot').get_attribute("aria-label")
        page.wait(lambda: marked() == "was Eswatini at the pinned moment", "the differing cells are marked")

    def test_history_of_a_value(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&entity=Country/SZ")
        page.click('[data-key="name"] > button')
        page.says("Swaziland", ".versions")
        page.says("release 2019-08-18", ".versions")
        page.click(".version:nth-child(2) [data-action=go]")
        page.wait(lambda: page.text(".moment") == "27 Nov 2016")
        page.says("Kingdom of Swaziland", ".side")

    def test_difference_and_commit(self) -> None:
        page = self.browser
        page.go("#/countries/changes?pin=2018-12-31&at=2019-12-31")
        page.says("Macedonia, Republic of", "[data-kind=changed]")
        page.says("North Macedonia", "[data-kind=changed]")
        page.press_button("Country\n6")
        page.says_no("Subdivision/CN-AH", ".entity, [data-kind=added]")
        page.leave()
        page.keys("g", "l")
        page.says("from the phone book")
        page.press_button("ben\n1")
        page.wait(lambda: len(page.all(".commits li[data-hash]")) == 1, "what Ben changed")
        page.press_button("from the phone book")
        page.says("eSwatini", "[data-kind=changed]")
        page.says("Had seen")

    def test_ownership_by_keyboard(self) -> None:
        page = self.browser
        page.keys("g", "o")
        page.wait(lambda: page.all(".tree .row[data-id]"))
        page.go("#/countries/owners?at=2022-12-31&type=Country")
        page.wait(lambda: page.all('[aria-level="1"]') and page.all(".tree .row[data-id]")[0].get_attribute("data-id") == "Country/GB", "who owned the most in 2022")
        page.driver.execute_script("document.querySelector('.tree .row[data-id]').focus()")
        page.keys(Keys.ARROW_RIGHT)
        page.wait(lambda: page.all('[data-id="Country/GB"][aria-expanded="true"]'))
        page.wait(lambda: page.all('[aria-level="2"]'))
        page.keys(Keys.ARROW_DOWN, Keys.ENTER)
        page.click("[data-action=why]")
        page.says("Live: Country/GB at the top lives by itself.", ".side")
        page.click("[data-action=draw]")
        page.one(".drawing .edge")

    def test_erase_preview_erases_nothing(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&entity=Country/SZ")
        page.click("[data-action=erase]")
        page.says("entities would die", "dialog")
        page.says("Nothing is erased here. This page is read-only.", "dialog")
        self.assertEqual(page.all("[data-name=confirm]"), [])
        page.keys(Keys.ESCAPE)
        page.wait(lambda: not page.all("dialog"))

    def test_reading_page_offers_no_writes(self) -> None:
        page = self.browser
        page.says("read-only", "#header")
        page.keys("g", "i")
        page.says("2 conflicting values")
        self.assertEqual(page.all("[data-action=settle], .matter input"), [])

    def test_copies(self) -> None:
        page = self.browser
        page.keys("g", "r")
        page.says("this copy")
        self.assertEqual(len(page.all(".plain tbody tr")), 2)

    def test_every_view_by_keyboard(self) -> None:
        page = self.browser
        for key, says in (("c", "Pin a moment"), ("l", "Every write that was ever made"), ("o", "Ownership"),
                          ("i", "2 conflicting values"), ("r", "this copy"), ("t", "249 entities")):
            page.keys("g", key)
            page.says(says, "#main")
        page.keys("g", "l")
        page.says("Every write that was ever made", "#main")
        page.wait(lambda: page.all(".commits a"))
        page.driver.execute_script("document.querySelector('.commits a').focus()")
        page.keys(Keys.ENTER)
        page.says("Had seen", "#main")
        self.assertIn("/commit?", page.hash)

    def test_fast_steps_are_no_flood_of_addresses(self) -> None:
        page = self.browser
        page.driver.execute_script("""for (let n = 0; n < 400; n += 1) {
            for (const key of ['[', ']']) dispatchEvent(new KeyboardEvent('keydown', { key }));
        }""")
        page.wait(lambda: page.text(".moment") == "Now" and "at=" not in page.hash)
        page.keys("[")
        page.wait(lambda: page.text(".moment") != "Now" and "at=" in page.hash, "the address follows")

    def test_a_pressed_row_is_marked(self) -> None:
        page = self.browser
        page.click('[data-id="Country/AF"] .cell:nth-child(2)')
        page.wait(lambda: page.all('[data-id="Country/AF"][aria-selected=true]'))
        page.click('[data-id="Country/AL"] .cell:nth-child(2)')
        page.wait(lambda: page.all('[data-id="Country/AL"][aria-selected=true]'))
        self.assertEqual(len(page.all(".grid-body [aria-selected=true]")), 1)

    def test_columns_stay_with_a_filter(self) -> None:
        page = self.browser
        heads = lambda: [head.text.strip() for head in page.all("[role=columnheader]")]
        page.wait(lambda: "capital" in heads())
        before = heads()
        page.go("#/countries/table?type=Country&where=name%3Dafghan")
        page.says("1 of 249", ".caption")
        self.assertEqual(heads(), before)
        page.driver.refresh()
        page.says("1 of 249", ".caption")
        page.wait(lambda: heads() == before, "a page that begins with the filter has the same columns")

    def test_what_names_no_moment_is_refused(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&at=garbage&pin=2018-13-45")
        page.says("“garbage” is no date and no commit", "#notes")
        page.says("249 entities", ".caption")
        self.assertEqual(page.text(".moment"), "Now")
        self.assertNotIn("garbage", page.hash)
        self.assertNotIn("pin", page.hash)

    def test_the_erased_are_a_filter_of_the_table(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Subdivision")
        page.says("5,046 entities", ".caption")
        page.click("[data-action=dead]")
        page.says("594 erased or dead", ".caption")
        page.go("#/countries/table?type=Subdivision&dead=1&columns=%40id%0A%40modified%0Aname")
        first = lambda column: page.driver.execute_script(
            "return [...document.querySelectorAll('.grid-body .row')].slice(0, 12).map((row) => row.children[arguments[0]].innerText)", column)
        page.wait(lambda: len(first(1)) == 12)
        self.assertEqual(first(1), sorted(first(1), reverse=True), "those come first that were erased last")
        page.press_button("name", ".grid-head")
        page.wait(lambda: "order=name" in page.hash and len(first(2)) == 12 and first(2) == sorted(first(2)))
        page.go("#/countries/table?type=Subdivision&dead=1&where=%2540id%3DKZ-SHY")
        page.says("1 of 594", ".caption")
        page.click('[data-id="Subdivision/KZ-SHY"] .cell:nth-child(2)')
        page.says("erased", ".side")
        page.go("#/countries/table?type=Subdivision&dead=1&at=2023-12-31T00%3A00%3A00.000Z&where=%2540id%3DKZ-SHY")
        page.says("0 of", ".caption")

    def test_a_token_that_is_refused_is_forgotten(self) -> None:
        other = Browser()
        try:
            other.driver.get(self.inspector.origin)
            other.says("enter a token")
            other.one("#token").send_keys("nonsense", Keys.ENTER)
            other.says("does not take this token")
            self.assertEqual(other.driver.execute_script("return sessionStorage.length"), 0)
        finally:
            other.stop()

    def test_palette_and_help(self) -> None:
        page = self.browser
        page.chord(Keys.CONTROL, "k")
        page.one("dialog [role=combobox]")
        page.keys(*"2018")
        page.says("what held at the end of the year", "dialog")
        page.keys(Keys.ENTER)
        page.wait(lambda: page.text(".moment") == "End of 2018")
        page.leave()
        page.chord(Keys.CONTROL, "k")
        page.keys(*"swaziland")
        page.says("Country/SZ", "dialog")
        page.keys(Keys.ENTER)
        page.says("Kingdom of Swaziland", ".side")
        page.leave()
        page.keys("?")
        page.says("Two kinds of times", "dialog")
        page.keys(Keys.ESCAPE)
        page.wait(lambda: not page.all("dialog"))

    def test_a_link_is_a_state(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&at=2018-12-31&where=name%3Dswazi&order=-name&entity=Country%2FSZ&key=name")
        page.says("Kingdom of Swaziland", ".side")
        before = page.hash
        page.driver.refresh()
        page.says("Kingdom of Swaziland", ".side")
        page.says("1 of 249", ".caption")
        self.assertEqual(page.hash, before)

    def test_back_goes_back(self) -> None:
        page = self.browser
        page.press_button("Commits", "#header nav")
        page.says("Every write that was ever made")
        page.driver.back()
        page.says("249 entities", ".caption")

    def test_narrow_screen(self) -> None:
        page = self.browser
        page.driver.set_window_size(390, 844)
        try:
            for view in VIEWS:
                page.go(f"#/countries/{view}")
                page.wait(lambda: page.text("#main"))
                wide = page.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
                self.assertLessEqual(wide, 0, view)
                cut = """return [...document.querySelectorAll('#header nav a')]
                    .filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.innerText)"""
                self.assertEqual(page.driver.execute_script(cut), [], "every view can be reached")
        finally:
            page.driver.set_window_size(1280, 900)


    def test_the_identifier_stays_in_sight(self) -> None:
        page = self.browser
        page.driver.set_window_size(390, 844)
        script = """const view = document.querySelector('.grid-viewport');
            const left = (selector) => Math.round(document.querySelector(selector).getBoundingClientRect().left - view.getBoundingClientRect().left);
            return [view.scrollLeft > 100, left('[data-id="Country/AF"] .cell.id'), left('.row.head .cell')]"""
        try:
            page.wait(lambda: page.all('[data-id="Country/AF"]'))
            page.driver.execute_script("document.querySelector('.grid-viewport').scrollLeft = 260")
            page.wait(lambda: page.driver.execute_script(script) == [True, 0, 0], "scrolled")
            page.driver.execute_script("document.querySelector('.grid-viewport').scrollLeft = 0")
            page.click('[data-id="Country/AF"] .cell:nth-child(1)')
            page.click("[aria-label='Close the entity']")
            page.driver.execute_script("document.querySelector('[data-id=\"Country/AF\"] .cell').focus()")
            page.keys(*[Keys.ARROW_RIGHT] * 4)
            page.wait(lambda: page.driver.execute_script(script) == [True, 0, 0], "by keyboard")
            behind = """const cell = document.activeElement.getBoundingClientRect();
                return cell.left >= document.querySelector('[data-id="Country/AF"] .cell.id').getBoundingClientRect().right - 1"""
            self.assertTrue(page.driver.execute_script(behind), "the focus is not behind the identifier")
        finally:
            page.driver.set_window_size(1280, 900)


class WritingTest(PageTest):
    options = ("--write", "--author", "sam")

    def confirm(self, says: str) -> None:
        page = self.browser
        page.says(says, "dialog")
        page.wait(lambda: page.one("[data-name=confirm]").is_enabled())
        page.click("[data-name=confirm]")
        page.wait(lambda: not page.all("dialog"))

    def test_an_erased_country_comes_back(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&entity=Country/GB")
        page.click("[data-action=erase]")
        self.confirm("222 entities would die")
        page.wait(lambda: page.all(".side .state-erased"), "it is erased")
        page.click("[data-action=restore-entity]")
        self.confirm("222 entities come back")
        page.wait(lambda: page.all(".side .state-live"), "it lives again")

    def test_a_value_is_restored_after_a_preview(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&entity=Country/MK&key=name")
        page.says("Macedonia, Republic of", ".versions")
        page.click(".version:not(.is-current) [data-action=restore]")
        self.confirm("North Macedonia")
        page.wait(lambda: page.text(".version.is-current b").endswith("Macedonia, Republic of"))
        self.assertEqual(varve("get", self.store, "Country/MK", "name").strip(), "Macedonia, Republic of")

    def test_large_integers_keep_their_digits(self) -> None:
        page = self.browser
        varve("set", self.store, "large", "--type", "Large", "figure:=9007199254740993")
        varve("set", self.store, "large", "figure:=1")
        page.go("#/countries/table?type=Large&entity=large&key=figure")
        page.says("9007199254740993", ".versions")
        page.click(".version:not(.is-current) [data-action=restore]")
        self.confirm("9007199254740993")
        page.wait(lambda: page.text(".version.is-current b").endswith("9007199254740993"))
        self.assertEqual(varve("get", self.store, "large", "figure").strip(), "9007199254740993")

    def test_a_type_with_dead_entities_only_is_listed(self) -> None:
        page = self.browser
        varve("set", self.store, "ghost-1", "--type", "Ghost", "name=Casper the friendly")
        varve("erase", self.store, "ghost-1")
        page.wait(lambda: page.text(".live") == "live")
        page.go("#/countries/table?type=Ghost")
        page.says("No entities of this type", ".grid-body")
        page.wait(lambda: "Ghost" in page.text(".types"))
        page.press_button("Ghost\n0", ".types")
        page.wait(lambda: "Casper" in page.cell_text("ghost-1"), "it is shown as it last was")
        page.wait(lambda: "Ghost: " in page.driver.execute_script("return document.querySelector('.bars').textContent"), "its dates count in the bar")
        page.leave()
        page.chord(Keys.CONTROL, "k")
        page.keys(*"friendly")
        page.says("erased · ghost-1", "dialog")
        page.keys(Keys.ENTER)
        page.says("ghost-1", ".side")
        page.says("erased", ".side")

    def test_long_values_are_shown_in_part(self) -> None:
        page = self.browser
        varve("set", self.store, "long-1", "--type", "Long", "text=" + "word " * 2_000)
        page.go("#/countries/table?type=Long&entity=long-1&key=text")
        page.says("Show all 10,000 characters", ".side")
        page.wait(lambda: 100 < len(page.cell_text("long-1")) < 400)
        self.assertLess(len(page.text(".side")), 1_600)
        page.click("[data-action=whole]")
        page.wait(lambda: len(page.text(".side")) > 10_000)
        page.click("[data-action=whole]")
        page.wait(lambda: len(page.text(".side")) < 1_600)

    def test_what_was_opened_stays_open_when_others_write(self) -> None:
        page = self.browser
        varve("set", self.store, "opened-1", "--type", "Opened", "text=" + "word " * 2_000)
        page.go("#/countries/table?type=Opened&entity=opened-1&key=text")
        page.says("Show all 10,000 characters", ".side")
        page.click("[data-action=whole]")
        page.click("[data-action=why]")
        page.says("Show less", ".side")
        page.says("Why", ".side h3")
        page.wait(lambda: page.text(".live") == "live")
        mark = "const why = document.querySelector('.side [data-action=why]'); why.dataset.mark = 'first'"
        page.driver.execute_script(mark)
        varve("set", self.store, "opened-2", "--type", "Opened", "text=other")
        page.wait(lambda: page.cell_text("opened-2"), "another entity has arrived")
        varve("set", self.store, "opened-1", "size=1")
        page.says("size", ".side")
        page.says("Show less", ".side")
        page.says("Why", ".side h3")
        self.assertEqual(page.all("[data-mark]"), [], "a panel whose entity changed is drawn anew")

    def test_a_panel_is_left_alone_when_another_entity_changes(self) -> None:
        page = self.browser
        varve("set", self.store, "quiet-1", "--type", "Quiet", "name=Still")
        varve("set", self.store, "quiet-2", "--type", "Quiet", "name=Busy")
        page.wait(lambda: page.text(".live") == "live")
        page.go("#/countries/table?type=Quiet&entity=quiet-1")
        page.says("Still", ".side")
        page.wait(lambda: page.cell_text("quiet-2"))
        page.driver.execute_script("document.querySelector('.side [data-action=why]').dataset.mark = 'first'")
        for round in ("first", "second", "third"):
            varve("set", self.store, "quiet-2", f"name={round}")
            page.wait(lambda: round in page.cell_text("quiet-2"), f"the {round} change has arrived")
        self.assertEqual(len(page.all("[data-mark]")), 1)

    def test_many_children_are_shown_in_parts(self) -> None:
        page = self.browser
        children = [{"op": "create", "type": "Leaf", "id": f"leaf-{n}"} for n in range(450)]
        relations = [{"op": "relate", "from": "tree-1", "kind": "owns", "to": f"leaf-{n}"} for n in range(450)]
        operation = {"op": "transaction", "operations": [{"op": "create", "type": "Tree", "id": "tree-1"}, *children, *relations]}
        batch(self.store, [operation])
        page.wait(lambda: page.text(".live") == "live")
        page.go("#/countries/owners?type=Tree&root=tree-1")
        page.wait(lambda: page.text(".row.more").strip() == "Show 200 more of 250 entities that tree-1 owns")
        page.wait(lambda: len(page.all('[aria-level="2"][data-id]')) == 200)
        page.driver.execute_script("document.querySelector('.tree .row[data-id]').focus()")
        page.keys(Keys.END, Keys.ENTER)
        page.wait(lambda: len(page.all('[aria-level="2"][data-id]')) == 400, "by keyboard")
        page.click(".row.more")
        page.wait(lambda: len(page.all('[aria-level="2"][data-id]')) == 450 and not page.all(".row.more"), "by mouse")

    def test_keys_may_be_words_of_the_language(self) -> None:
        page = self.browser
        varve("set", self.store, "odd", "--type", "Odd", "constructor=plain", "__proto__=text", "toString=1")
        page.go("#/countries/table?type=Odd")
        self.is_in("odd", "constructor", "plain")
        self.is_in("odd", "__proto__", "text")
        script = "return [...document.querySelectorAll('.filters input')].map((one) => one.value).join('')"
        self.assertEqual(page.driver.execute_script(script), "")

    def test_what_is_typed_has_the_kind_of_what_disagrees(self) -> None:
        page = self.browser
        varve("set", self.store, "apart", "--type", "Apart", "figure:=10")
        copy = str(Path(self.store).with_name("copy.varve"))
        varve("sync", self.store, copy, "--create")
        varve("set", copy, "apart", "figure:=20")
        varve("set", self.store, "apart", "figure:=15")
        varve("merge", copy, self.store)
        page.go("#/countries/inbox")
        page.says("live", "#header")

        def types(text: str) -> bool:
            field = page.one("[data-conflict=figure] input[type=text]")
            field.clear()
            field.send_keys(text)
            return field.get_attribute("value") == text

        page.wait(lambda: types("ten"))
        self.assertFalse(page.one("[data-action=settle]").is_enabled())
        page.wait(lambda: types("30"))
        page.click("[data-action=settle]")
        page.wait(lambda: not page.all("[data-conflict=figure]"), "it is settled")
        self.assertIn('"figure":30', varve("get", self.store, "apart", "--json").replace(" ", ""))

    def test_a_commit_is_undone_after_a_preview(self) -> None:
        page = self.browser
        varve("set", self.store, "Country/FR", "motto=Liberté", "--author", "ana", "--message", "a motto")
        page.keys("g", "l")
        page.says("a motto")
        page.press_button("a motto")
        page.click("[data-action=undo]")
        self.confirm("Country/FR · motto")
        page.says("is undone", "#notes")
        self.assertNotIn("motto", varve("get", self.store, "Country/FR"))

    def test_a_conflict_is_settled_by_keyboard(self) -> None:
        page = self.browser
        page.keys("g", "i")
        page.says("Swaziland (until 2018)")
        page.driver.execute_script("document.querySelector('.matter input[type=radio]').focus()")
        page.keys(" ", Keys.TAB)
        page.driver.execute_script("document.querySelector('[data-action=settle]').focus()")
        page.keys(Keys.ENTER)
        page.says("Nothing to decide")
        page.wait(lambda: not page.all("#header .badge"))

    def test_the_page_follows_other_processes(self) -> None:
        page = self.browser
        page.says("live", "#header")
        page.go("#/countries/table?type=Country&where=name%3Dafghan")
        self.is_in("Country/AF", "name", "Afghanistan")
        varve("set", self.store, "Country/AF", "name=Afghanistan anew")
        self.is_in("Country/AF", "name", "Afghanistan anew")


@unittest.skipUnless(os.environ.get("AXE"), "the accessibility checker is not here")
class AccessibilityTest(PageTest):
    options = ("--write",)

    def findings(self) -> list[str]:
        script = """const done = arguments[arguments.length - 1];
            // The first rows of a long list stand for all.
            const exclude = [".grid-body .row:nth-child(n+5)", ".tree .row:nth-child(n+7)", ".changed-entity:nth-child(n+4)"];
            axe.run({ exclude }, { resultTypes: ["violations"] }).then((report) => done(report.violations
                .filter((one) => ["serious", "critical"].includes(one.impact))
                .map((one) => `${one.id}: ${one.nodes.map((node) => node.target + " " + node.failureSummary).slice(0, 3)}`)))"""
        return self.browser.driver.execute_async_script(script)

    def test_no_view_has_a_serious_finding(self) -> None:
        page = self.browser
        page.driver.set_script_timeout(60)
        states = [
            "table?type=Country&pin=2018-12-31&entity=Country/SZ&key=name", "changes?pin=2018-12-31&at=2019-12-31",
            "commits", "owners?entity=Country/SZ", "inbox", "copies",
        ]
        checker = Path(os.environ["AXE"]).read_text(encoding="utf-8")
        page.driver.execute_script(checker)
        for appearance in ("light", "dark"):
            # What differs between the two is colour, which four views show.
            states = states if appearance == "light" else states[:4]
            page.driver.execute_script("document.documentElement.dataset.appearance = arguments[0]", appearance)
            for state in states:
                page.go(f"#/countries/{state}")
                page.wait(lambda: len(page.text("#main")) > 60)
                page.wait(lambda: "Now" in page.text(".moment") or "at=" in state)
                with self.subTest(f"{state}, {appearance}"):
                    self.assertEqual(self.findings(), [])


if __name__ == "__main__":
    unittest.main()
