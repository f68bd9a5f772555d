#!/usr/bin/env bash
# Runs the tests that are built: first those that can run beside others, then the rest one by one.
# Prints findings and results; all of the output is in .build/test-*.log. A run that does not end in
# VARVE_TEST_LIMIT seconds is aborted, and its unfinished tests are printed.
# Arguments: the pattern of the tests that run one by one, then flags for `swift test`.
set -uo pipefail
readonly alone=$1
readonly limit=${VARVE_TEST_LIMIT:-2400}
scripts=$(dirname "${BASH_SOURCE[0]}")
shift
mkdir -p .build

# Lines reach the log at once, so that it shows what ran if a run does not end.
launcher=()
if command -v timeout >/dev/null; then launcher+=(timeout --signal=ABRT --kill-after=60 "$limit"); fi
if command -v stdbuf >/dev/null; then launcher+=(stdbuf -oL); fi

run() {
  local log=$1
  shift
  "${launcher[@]}" swift test "$@" 2>&1 | tee "$log" | "$scripts/test-log.py" summary
  local status=${PIPESTATUS[0]}
  if ((status != 0)); then
    printf '\nFindings (all of the output is in %s):\n' "$log"
    "$scripts/test-log.py" findings "$log"
    printf '\nTests that did not end:\n'
    "$scripts/test-log.py" unfinished "$log"
  fi
  return "$status"
}

run .build/test-parallel.log "$@" --skip "$alone" &&
  run .build/test-serial.log "$@" --no-parallel --filter "$alone"
