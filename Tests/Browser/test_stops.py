"""Where the time bar stops among dates: at every date to which anything was written, and never after the place of a press."""
import tempfile
import unittest
from pathlib import Path

from inspector import Browser, Inspector, batch, varve
from stores import StoreTest

DATES = ("2018-01-01", "2019-01-01", "2020-01-01", "2021-01-01", "2022-01-01", "2024-01-01")


class DateStopsTest(StoreTest):
    name = "hats"

    @classmethod
    def make(cls) -> None:
        varve("init", cls.store)
        batch(cls.store, [
            {"op": "create", "type": "Hat", "id": "hat", "set": {"size": 0}, "at": DATES[0]},
            {"op": "create", "type": "Shop", "id": "shop", "at": DATES[0]},
            {"op": "set", "id": "hat", "set": {"size": 1}, "at": DATES[1]},
            {"op": "erase", "ids": ["hat"], "at": DATES[2]},
            {"op": "restore", "id": "hat", "at": DATES[3]},
            {"op": "relate", "from": "shop", "kind": "free", "to": "hat", "at": DATES[4]},
            {"op": "set", "id": "hat", "set": {"size": 2}, "at": DATES[5]},
        ])

    def setUp(self) -> None:
        self.browser.go("#/hats/table?type=Hat&scale=dates")
        self.browser.wait(lambda: self.browser.text(".moment") == "Now")
        self.browser.wait(lambda: self.browser.all(".bars circle"))

    def moments(self, back) -> list[str]:
        """The moments of steps back from now."""
        page = self.browser
        found = []
        for _ in DATES:
            before = page.text(".moment")
            back()
            page.wait(lambda: page.text(".moment") != before)
            found.append(page.text(".moment"))
        return found

    expected = [f"1 Jan {date[:4]}" for date in reversed(DATES)]

    def test_the_previous_change_is_each_change_by_keyboard(self) -> None:
        self.assertEqual(self.moments(lambda: self.browser.keys("[")), self.expected)

    def test_the_previous_change_is_each_change_by_mouse(self) -> None:
        self.assertEqual(self.moments(lambda: self.browser.click("[data-name=previous]")), self.expected)

    def test_a_lane_has_a_bar_at_each_change(self) -> None:
        script = "return [...document.querySelectorAll('.bars .bar title')].map((one) => one.textContent).filter((one) => one.startsWith('Hat: '))"
        self.assertEqual(len(self.browser.driver.execute_script(script)), 5)

    def test_a_press_between_two_changes_shows_the_state_of_then(self) -> None:
        page = self.browser
        # Nearer to the change after it.
        script = """const x = (n) => Number(document.querySelectorAll('.bars circle')[n].getAttribute('cx'));
            const track = document.querySelector('.track').getBoundingClientRect();
            const [x1, y] = [track.left + x(4) + (x(5) - x(4)) * arguments[0], track.top + 12];
            for (const type of ['pointerdown', 'pointerup']) document.querySelector('.track').dispatchEvent(
                new PointerEvent(type, { clientX: x1, clientY: y, button: 0, pointerId: 1, bubbles: true }))"""
        page.driver.execute_script("Element.prototype.setPointerCapture = () => {}")
        page.driver.execute_script(script, 0.8)
        page.wait(lambda: page.text(".moment") == "1 Jan 2022", "the state of then")
        page.driver.execute_script(script, 0.99)
        page.wait(lambda: page.text(".moment") == "1 Jan 2024", "a press on a change is meant for it")

    def test_the_write_of_another_is_a_step(self) -> None:
        page = self.browser
        page.wait(lambda: page.text(".live") == "live")
        before = len(page.all(".bars circle"))
        batch(self.store, [{"op": "set", "id": "shop", "set": {"name": "a"}, "at": "2023-01-01"}])
        page.wait(lambda: len(page.all(".bars circle")) == before + 1)
        page.keys("[", "[")
        page.wait(lambda: page.text(".moment") == "1 Jan 2023")

    def test_each_type_keeps_its_place_at_all_moments(self) -> None:
        page = self.browser
        types = lambda: [one.split("\n")[0] for one in page.driver.execute_script("return [...document.querySelectorAll('.types a')].map((one) => one.innerText)")]
        now = types()
        page.go("#/hats/table?type=Shop&scale=dates&at=2020-06-01T00:00:00.000Z")
        page.wait(lambda: "Hat\n0" in page.text(".types"), "the hat is erased")
        self.assertEqual(types(), now)


class OfflineTest(unittest.TestCase):
    def test_the_heading_says_that_the_server_does_not_reply(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = str(Path(folder) / "hats.varve")
            varve("init", store)
            varve("set", store, "hat", "--type", "Hat", "size=1")
            inspector, page = Inspector(store), Browser()
            try:
                page.open(inspector)
                page.says("the page follows what is written", "#time")
                inspector.stop()
                page.says("the server does not reply", "#time")
            finally:
                page.stop()
                inspector.stop()


if __name__ == "__main__":
    unittest.main()
