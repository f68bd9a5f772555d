"""Takes the pictures of the inspector's guide anew, on the store of the demo.

    VARVE=.build/debug/varve /usr/bin/python3 Tests/Browser/pictures.py

Of awaited history there is a picture too, which this script does not take: it needs a synchronisation
that was interrupted.
"""
import json
import sys
import tempfile
import time
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from inspector import ROOT, Browser, Inspector, varve

PICTURES = Path(ROOT) / "Documentation" / "Pictures"
SPACE = "#/countries/"
DRAG = "table?type=Country&pin=now&where=alpha_3%3D%255ES&order=-alpha_3&columns=%40id%0Aname%0Aofficial_name%0Aalpha_2%0Aalpha_3"
MIDNIGHT = "T00%3A00%3A00.000Z"

# The picture, the size, the address after the space, and what the page says once it is drawn.
WIDE, NARROW, LOW = (1280, 797), (390, 844), (1280, 480)
SHOTS = [
    ("table-light", WIDE, f"table?type=Subdivision&at=2022-03-05{MIDNIGHT}&pin=2016-11-27{MIDNIGHT}&where=%2540id%3DFR-", "127 of"),
    ("entity-dark", WIDE, "table?type=Country&entity=Country/SZ&key=name", "Swaziland"),
    ("erased-light", WIDE, "table?type=Subdivision&dead=1&entity=Subdivision/KZ-SHY", "Shymkent"),
    ("changes-dark", WIDE, f"changes?at=2019-12-31{MIDNIGHT}&pin=2018-12-31{MIDNIGHT}&type=Country", "North Macedonia"),
    ("commit-light", WIDE, "commit?commit=", "Had seen"),
    ("owners-light", WIDE, "owners?type=Country&entity=Subdivision/SZ-HH", "Country/GB"),
    ("inbox-dark", WIDE, "inbox", "Swaziland (until 2018)"),
    ("copies-light", WIDE, "copies", "active"),
    ("table-narrow-dark", NARROW, "table?type=Country", "249 entities"),
    ("inbox-narrow-light", NARROW, "inbox", "Swaziland (until 2018)"),
    ("drag-1", LOW, f"{DRAG}&at=2016-11-27{MIDNIGHT}", "Kingdom of Swaziland"),
    ("drag-2", LOW, f"{DRAG}&at=2018-12-08{MIDNIGHT}", "Kingdom of Swaziland"),
    ("drag-3", LOW, f"{DRAG}&at=2022-03-05{MIDNIGHT}", "Kingdom of Eswatini"),
    ("drag-4", LOW, DRAG, "Kingdom of Eswatini"),
]


def take(page: Browser, name: str, size: tuple[int, int], address: str, text: str) -> None:
    dark = name.endswith("dark")
    page.driver.execute_script("localStorage.setItem('varve-appearance', arguments[0])", "dark" if dark else "light")
    page.driver.execute_script("document.documentElement.dataset.appearance = arguments[0]", "dark" if dark else "light")
    # The size is that of what is seen, whatever a window adds to it.
    width, height = size
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    page.go(SPACE + address)
    page.says(text)
    if name.startswith("owners"):
        page.click("[data-action=draw]")
        page.driver.execute_script("document.querySelector('.tree .row[data-id]').focus()")
        page.keys(Keys.ARROW_RIGHT)
        page.says("Aberdeenshire")
    page.leave()
    time.sleep(1.5)
    page.driver.save_screenshot(str(PICTURES / f"{name}.png"))


def main() -> None:
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "countries.varve")
        varve("demo", "Examples/Countries", "--store", store)
        commits = json.loads(varve("log", store, "--json", "--limit", "1000"))["result"]
        phone = next(one["hash"] for one in commits if one["message"] == "from the phone book")
        inspector, page = Inspector(store, "--write", "--author", "sam"), Browser()
        try:
            page.open(inspector)
            for name, size, address, text in SHOTS:
                if wanted and name not in wanted:
                    continue
                take(page, name, size, address + (phone if address.endswith("commit=") else ""), text)
        finally:
            page.stop()
            inspector.stop()


if __name__ == "__main__":
    main()
