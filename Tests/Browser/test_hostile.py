"""Stores that no author of a page thinks of: odd names, circles, great depth, nothing at all, damage."""
import json
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from inspector import VARVE, Browser, Inspector, batch, varve

NAMES = ("<script>window.ran = 1</script>", '"><img src=x onerror="window.ran = 1">', "&amp;&lt;b&gt;", "שלום עולם", "👩‍👩‍👧‍👦🏳️‍🌈", "  ", "x" * 300)
TYPES = ("Hat", "hat", "HAT", "sqlite_master", "varve_commit", "rowid", "a.b", "", "select", 'x"y', "<b>é</b> & co")


class HostileTest(unittest.TestCase):
    """Tests with a store and a page of their own, whose console stays clean."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = str(Path(folder.name) / "odd.varve")
        varve("init", self.store)

    def open(self, *options: str) -> Browser:
        inspector = Inspector(self.store, *options)
        self.addCleanup(inspector.stop)
        page = Browser()
        self.addCleanup(page.stop)
        page.driver.get(inspector.link)
        page.one("#header nav a[aria-current]")
        page.wait(lambda: page.text(".live"), "the page knows whether it is connected")
        return page

    def test_names_are_text(self) -> None:
        creations = [{"op": "create", "type": "Odd", "id": f"odd-{n}", "set": {"name": name, name[:60].strip() or "k": n}} for n, name in enumerate(NAMES)]
        batch(self.store, [*creations, {"op": "create", "type": "Odd", "id": "a b/../?c=d#e%20<i>", "set": {"name": "of an odd identifier"}}])
        page = self.open("--write")
        page.go("#/odd/table?type=Odd")
        page.says(NAMES[0], ".grid-body")
        page.says(NAMES[1], ".grid-body")
        page.click('[data-index="7"] .cell')
        page.says("of an odd identifier", ".side")
        page.says("a b/../?c=d#e%20<i>", ".side .entity-head .identifier")
        page.leave()
        page.chord(Keys.CONTROL, "k")
        page.keys(*"<script>")
        page.says("odd-0", "dialog")
        page.keys(Keys.ENTER)
        page.wait(lambda: page.text(".side .entity-head .identifier") == "odd-0")
        self.assertIsNone(page.driver.execute_script("return window.ran ?? null"))
        self.assertEqual(page.complaints(), [])

    def test_types_of_any_name_have_their_dates(self) -> None:
        batch(self.store, [{"op": "create", "type": type, "set": {"modified": 1, "datestamp": 2}} for type in TYPES])
        page = self.open()
        page.go("#/odd/table?type=hat&scale=dates")
        page.wait(lambda: page.all(".track rect"))
        self.assertFalse(page.one(".time-remark").is_displayed(), page.text(".time-remark"))
        titles = page.driver.execute_script("return [...document.querySelectorAll('.lane-name title')].map((one) => one.textContent).join()")
        counts = [int(part.split(": ")[-1].split(" ")[0]) for part in titles.split(" change")[:-1]]
        self.assertEqual(sum(counts), len(TYPES))
        self.assertEqual(page.complaints(), [])

    def test_a_property_may_be_called_id(self) -> None:
        batch(self.store, [{"op": "create", "type": "Row", "id": "row-1", "set": {"id": "the property"}}, {"op": "create", "type": "Row", "id": "row-2", "set": {"id": "other"}}])
        page = self.open()
        page.go("#/odd/table?type=Row")
        page.wait(lambda: page.cell_text("row-1").split("\n") == ["row-1", "the property"])
        page.go("#/odd/table?type=Row&where=id%3Dother")
        page.says("1 of 2", ".caption")
        self.assertEqual(page.complaints(), [])

    def test_circles_and_depth_of_ownership(self) -> None:
        owns = lambda one, other: {"op": "relate", "from": one, "kind": "owns", "to": other}
        ring = ["ring-a", "ring-b", "ring-c"]
        deep = [f"deep-{n}" for n in range(100)]
        batch(self.store, [
            *[{"op": "create", "type": "Ring", "id": id} for id in (*ring, "owner", "self")], owns("owner", "ring-a"), owns("self", "self"),
            *[owns(one, other) for one, other in zip(ring, [*ring[1:], ring[0]])],
            *[{"op": "create", "type": "Deep", "id": id} for id in deep], *[owns(one, other) for one, other in zip(deep, deep[1:])],
        ])
        page = self.open()
        for id, reason in (("deep-99", "deep-0 at the top lives"), ("ring-a", "owner at the top lives"), ("self", "a circle of ownership")):
            page.go(f"#/odd/table?type=Ring&entity={id}")
            page.wait(lambda: page.text(".side h2") == id)
            page.click("[data-action=why]")
            page.says(reason, ".side")
        page.go("#/odd/owners?type=Ring&root=owner")
        page.wait(lambda: page.all('.tree .row[data-id="ring-a"]'))
        page.driver.execute_script("document.querySelector('.tree .row[data-id]').focus()")
        for place, id in enumerate(("ring-a", "ring-b", "ring-c"), 2):
            page.keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
            page.wait(lambda: page.all(f'[data-id="{id}"][aria-level="{place}"][aria-expanded="true"]'), id)
        page.says("again, as above", ".tree")
        page.keys(Keys.END, Keys.ARROW_RIGHT)
        self.assertEqual(len(page.all(".tree .row[data-id]")), 5, "the circle ends")
        self.assertEqual(page.complaints(), [])

    def test_an_empty_store(self) -> None:
        page = self.open("--write")
        for view, says in (("table", "Nothing was written yet."), ("changes", "Pin a moment"), ("commits", "Nothing was written yet."),
                           ("owners", "Nothing here owns anything"), ("inbox", "Nothing to decide"), ("copies", "never")):
            page.go(f"#/odd/{view}")
            page.says(says, "#main")
            for wrong in ("NaN", "1970", "undefined", "00:00:00"):
                self.assertNotIn(wrong, page.text("#main") + page.text(".bars"), view)
        page.go("#/odd/table")
        page.keys("[", "]", "n", "p")
        page.driver.execute_script("document.querySelector('[role=slider]').focus()")
        page.keys(Keys.HOME, Keys.ARROW_RIGHT, "+", Keys.END)
        varve("set", self.store, "hat-1", "--type", "Hat", "color=red")
        page.says("hat-1", ".grid-body")
        self.assertEqual(page.complaints(), [])

    def test_what_cannot_be_read_is_not_nothing(self) -> None:
        batch(self.store, [{"op": "create", "type": "Hat", "id": f"hat-{n}", "set": {"color": "red"}} for n in range(5)])
        batch(self.store, [{"op": "set", "id": "hat-1", "set": {"color": f"blue {n}"}} for n in range(5)])
        copy = self.store + ".copy"
        varve("sync", self.store, copy, "--create")
        varve("set", copy, "hat-1", "color=green")
        varve("set", self.store, "hat-1", "color=black")
        varve("merge", copy, self.store)
        connection = sqlite3.connect(self.store)
        number, header = connection.execute("SELECT n, header FROM varve_commit ORDER BY n DESC LIMIT 1").fetchone()
        connection.execute("UPDATE varve_commit SET header = ? WHERE n = ?", (header[:-3] + bytes([header[-3] ^ 255]) + header[-2:], number))
        connection.commit()
        connection.close()
        page = self.open()
        page.go("#/odd/commits")
        page.says("has changed", "#main")
        page.says("varve check", "#main")
        page.go("#/odd/inbox")
        page.says("has changed", "#main")
        self.assertNotIn("Nothing to decide", page.text("#main"))
        page.wait(lambda: page.text("#header .badge") == "!")
        page.says("The bar cannot be drawn", ".time-remark")
        page.go("#/odd/copies")
        page.says("has changed", "#main")
        self.assertNotIn("no purge and no compaction", page.text("#main"))
        # A browser notes the server's replies that fail, and nothing else.
        self.assertEqual([one for one in page.complaints() if "status of 500" not in one], [])

    def test_a_store_that_another_process_writes(self) -> None:
        varve("set", self.store, "item-0", "--type", "Item", "count=0")
        page = self.open()
        page.go("#/odd/table?type=Item&scale=commits")
        page.says("1 entity", ".caption")
        writer = subprocess.Popen([VARVE, "batch", self.store], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for number in range(1, 400):
            writer.stdin.write(json.dumps({"op": "create", "type": "Item", "id": f"item-{number}", "set": {"count": number}}) + "\n")
        writer.stdin.flush()
        page.keys("[", "[", "[", "]", "n", "g", "o", "g", "t")
        writer.stdin.close()
        writer.wait()
        page.says("400 entities", ".caption")
        self.assertEqual(page.complaints(), [])


if __name__ == "__main__":
    unittest.main()
