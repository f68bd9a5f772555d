"""Tests of one page on one store, which are made once for a class."""
import tempfile
import unittest
from pathlib import Path

from inspector import Browser, Inspector


class StoreTest(unittest.TestCase):
    """Tests of one page, whose console stays clean."""

    name = "countries"
    options: tuple[str, ...] = ()

    @classmethod
    def make(cls) -> None:
        """Makes the store, at the path `store`."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.store = str(Path(folder.name) / f"{cls.name}.varve")
        cls.make()
        cls.inspector = Inspector(cls.store, *cls.options)
        cls.addClassCleanup(cls.inspector.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.stop)
        cls.browser.open(cls.inspector)

    def tearDown(self) -> None:
        self.assertEqual(self.browser.complaints(), [])
