"""The boxes under a table's heads show the filters of the page, however those came about."""
import unittest

from selenium.webdriver.common.keys import Keys

from test_inspector import PageTest


class FilterBoxTest(PageTest):
    def box(self, key: str = "name") -> str:
        return self.browser.one(f'.filters input[data-key="{key}"]').get_attribute("value")

    def type(self, key: str, text: str) -> None:
        self.browser.click(f'.filters input[data-key="{key}"]')
        self.browser.keys(*text)

    def test_cleared_filters_leave_the_boxes_and_do_not_return(self) -> None:
        page = self.browser
        self.type("name", "Eswatini")
        page.says("1 of 249", ".caption")
        page.press_button("Clear filters")
        page.says("249 entities", ".caption")
        self.assertEqual(self.box(), "")
        self.type("numeric", "748")
        page.says("1 of 249", ".caption")
        self.assertNotIn("Eswatini", page.hash)

    def test_back_takes_a_filter_out_of_its_box(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&order=name")
        page.wait(lambda: page.all('[aria-sort="ascending"]'))
        page.keys("/")
        page.wait(lambda: page.focus().startswith("INPUT"))
        page.keys(*"Fi")
        page.wait(lambda: "where=" in page.hash)
        page.driver.back()
        page.says("249 entities", ".caption")
        page.wait(lambda: self.box() == "", "the box is empty")

    def test_a_filter_of_the_address_is_in_its_box(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&where=name%3DFiji")
        page.wait(lambda: self.box() == "Fiji")
        page.says("1 of 249", ".caption")
        page.go("#/countries/table?type=Country&where=name%3DMalta")
        page.wait(lambda: self.box() == "Malta")
        page.keys("/", Keys.BACKSPACE)
        page.wait(lambda: "Malt" in page.hash and "Malta" not in page.hash)
        self.assertEqual(self.box(), "Malt", "what is typed stays")

    def test_a_filter_of_a_hidden_column_stays(self) -> None:
        page = self.browser
        page.go("#/countries/table?type=Country&columns=%40id%0Aname&where=numeric%3D748")
        page.says("1 of 249", ".caption")
        self.type("name", "zzz")
        page.says("0 of 249", ".caption")
        self.assertIn("numeric", page.hash)


if __name__ == "__main__":
    unittest.main()
