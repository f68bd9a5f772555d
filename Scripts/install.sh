#!/usr/bin/env bash
# Installs a program, its manual page and its completions. Arguments: the program, and the folder that gets bin and
# share, such as /usr/local.
set -euo pipefail
program=${1:?install: name the program} prefix=${2:?install: name the folder, such as /usr/local}
share=$prefix/share
install -d "$prefix/bin" "$share/man/man1" "$share/bash-completion/completions" \
  "$share/zsh/site-functions" "$share/fish/vendor_completions.d"
install -m 755 "$program" "$prefix/bin/varve"
"$(dirname "${BASH_SOURCE[0]}")/manual.py" "$program" >"$share/man/man1/varve.1"
"$program" completions bash >"$share/bash-completion/completions/varve"
"$program" completions zsh >"$share/zsh/site-functions/_varve"
"$program" completions fish >"$share/fish/vendor_completions.d/varve.fish"
