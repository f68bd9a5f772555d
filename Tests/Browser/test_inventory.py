"""The example of a shared inventory, as people use it in a browser beside a device that synchronises."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from inspector import VARVE, Browser, batch, varve

PROGRAM = os.environ.get("INVENTORY_WEB", str(Path(VARVE).parent / "inventory-web"))


class InventoryTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.process = subprocess.Popen(
            [PROGRAM, self.folder.name, "0"], stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(self.stop)
        self.address = self.process.stdout.readline().split()[2]
        self.space = f"{self.address}/data/v1/spaces/inventory"
        self.browser = Browser()
        self.addCleanup(self.browser.stop)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def open(self) -> None:
        self.browser.driver.get(self.address)
        self.browser.says("live", "#state")

    def fill(self, selector: str, text: str) -> None:
        field = self.browser.one(selector)
        field.clear()
        field.send_keys(text + Keys.TAB)

    def add(self, name: str, place: str, count: int) -> None:
        for field, text in (("name", name), ("place", place), ("count", str(count))):
            self.fill(f"#add [name={field}]", text)
        self.browser.click("#add button:not([type])")
        self.browser.says(name, "#places")

    def device(self, name: str) -> str:
        """A store on a device."""
        store = f"{self.folder.name}/{name}.varve"
        varve("init", store)
        return store

    def test_what_people_and_devices_write_is_one_inventory(self) -> None:
        page = self.browser
        self.open()
        page.says("Nothing is here yet.", "#places")
        self.fill("#author", "ana")
        self.add("Hammer <b>", "Workshop", 2)
        self.add("lamp", "attic", 1)
        page.click('[aria-label="One more Hammer <b>"]')
        page.says("3", "#places section:nth-child(1) h2 small")
        # A device counts without a network, and synchronises afterwards.
        store = self.device("ben")
        varve("sync", store, self.space)
        batch(store, [{"op": "create", "type": "Item", "set": {"name": "saw", "place": "Workshop", "count": 1}, "author": "ben"}])
        varve("sync", store, self.space)
        page.says("saw", "#places")
        self.fill("#search", "SA")
        page.says_no("lamp", "#places")
        self.fill("#search", "")
        page.says("lamp", "#places")
        # Undo takes back the last change that was made here, and nothing of others.
        page.click("#undo")
        page.says_no("One more", "#problem")
        page.says("3", "#places section:nth-child(1) h2 small")
        page.click('[aria-label="Remove saw"]')
        page.says_no("saw", "#places")
        page.click("#undo")
        page.says("saw", "#places")
        page.click('#places section:nth-child(1) li .name[title="History"]')
        page.says("ana: 2", "#history")
        page.click("#history button")

    def test_a_count_of_someone_else_is_not_overwritten(self) -> None:
        page = self.browser
        self.open()
        self.add("nail", "box", 10)
        # The page does not hear of the change: its stream has ended.
        page.driver.execute_script("""
            const fetch = window.fetch;
            window.fetch = (...all) => String(all[0]).endsWith("operations") && !String(all[1].body).includes('"update"')
                ? new Promise(() => {}) : fetch(...all);""")
        store = self.device("ben")
        varve("sync", store, self.space)
        item = varve("list", store, "Item", "--csv").splitlines()[1].split(",")[0]
        batch(store, [{"op": "update", "id": item, "set": {"count": 7}}])
        varve("sync", store, self.space)
        page.driver.execute_script("""
            const held = window.fetch;
            window.tried = [];
            window.fetch = async (...all) => { const reply = await held(...all); window.tried.push(reply.status); return reply; };""")
        page.click('[aria-label="One nail fewer"]')
        page.wait(lambda: page.driver.execute_script("return window.tried") == [409])
        varve("sync", store, self.space)
        self.assertEqual(json.loads(varve("get", store, item, "--json"))["result"]["properties"]["count"], 7)

    def test_the_slider_shows_the_past_which_cannot_be_changed(self) -> None:
        store = self.device("old")
        batch(store, [
            {"op": "create", "type": "Item", "id": "hat", "set": {"name": "hat", "place": "hall", "count": 1}, "at": "2024-05-01T08:00:00Z"},
            {"op": "set", "id": "hat", "set": {"count": 4}, "at": "2024-05-03T08:00:00Z"},
        ])
        self.open()
        varve("sync", store, self.space)
        page = self.browser
        page.says("hat", "#places")
        page.says("4", "#places h2 small")
        slider = page.one("#day")
        slider.send_keys(Keys.HOME)
        page.says("2024-05-01", "#shown")
        page.says("1", "#places h2 small")
        page.wait(lambda: not page.one("#now").get_attribute("disabled"))
        self.assertTrue(page.one("#add button").get_attribute("disabled"))
        page.click("#now")
        page.says("today", "#shown")
        page.says("4", "#places h2 small")

    def test_it_is_readable_on_a_phone_and_in_the_dark(self) -> None:
        page = self.browser
        self.open()
        self.add(" ".join(["a thing with a long name"] * 3), "shelf", 12)
        page.driver.set_window_size(390, 800)
        script = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        self.assertTrue(page.driver.execute_script(script))
        page.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        )
        color = page.driver.execute_script("return getComputedStyle(document.querySelector('.name')).color")
        self.assertNotEqual(color, "rgb(0, 0, 0)")
        if folder := os.environ.get("PICTURES"):
            page.driver.save_screenshot(f"{folder}/inventory-phone.png")
            page.driver.set_window_size(1000, 800)
            page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
            page.driver.save_screenshot(f"{folder}/inventory.png")


if __name__ == "__main__":
    unittest.main()
