"""The types that the comments of the inspector's page state, checked by TypeScript's checker."""
import os
import shutil
import subprocess
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "Sources" / "VarveServer" / "Inspector" / "Page"
CHECKER = os.environ.get("TSC", "tsc")
OPTIONS = "--noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --lib es2022,dom,dom.iterable".split()


@unittest.skipUnless(shutil.which(CHECKER), "the checker of types is not here: apt-get install node-typescript")
class TypesTest(unittest.TestCase):
    def test_the_types_of_the_page_agree(self) -> None:
        found = subprocess.run([CHECKER, *OPTIONS, *sorted(PAGE.glob("*.js"))], capture_output=True, text=True)
        self.assertEqual((found.stdout + found.stderr).strip(), "")
        self.assertEqual(found.returncode, 0)


if __name__ == "__main__":
    unittest.main()
