#!/usr/bin/env bash
# Runs the tests of the inspector: the types of its page, and what it does in headless Chromium. VARVE is
# the program, AXE the accessibility checker; arguments choose tests. Selenium is that of the system,
# which another Python does not see.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../Tests/Browser"
python=/usr/bin/python3
"$python" -c 'import selenium' 2>/dev/null || python=python3
[[ $# -gt 0 ]] || set -- test_types test_inspector test_previews test_filters test_stops test_finding test_time test_hostile test_design test_inventory
exec "$python" -B -m unittest "$@"
