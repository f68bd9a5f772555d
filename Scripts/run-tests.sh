#!/usr/bin/env bash
# Runs the tests that are built: first those that can run beside others, then the rest one by one.
# After a failed run, repeats the findings at the end, where they can be found.
# Arguments: the pattern of the tests that run one by one, then flags for `swift test`.
set -uo pipefail
readonly alone=$1
shift
mkdir -p .build

run() {
  local log=$1
  shift
  swift test "$@" 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]}
  if ((status != 0)); then
    printf '\nFindings (all of the output is in %s):\n' "$log"
    # What servers of the tests log is no finding.
    grep -aE '^(✘|↳)|error: |Fatal error|signal code' "$log" | grep -avE '^20[0-9-]+T[0-9:]+' | tail -100
  fi
  return "$status"
}

run .build/test-parallel.log "$@" --skip "$alone" &&
  run .build/test-serial.log "$@" --no-parallel --filter "$alone"
