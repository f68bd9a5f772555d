#!/usr/bin/env bash
# Makes sure that Swift, the system libraries the build needs and Python, from which the tests drive
# the command line, are there. With --tests, also PostgreSQL and PgBouncer, of which the tests start
# servers, and with apt bindfs, by which they mount a folder in user space; with --proxies, also nginx
# and Caddy, with which the example configurations are tested; with --failover, also PostgreSQL, Patroni
# and etcd, which replace a primary that is killed; with --browser, Chromium and Selenium, which test
# the inspector, and where apt has it the checker of its types; with --measure, wrk, which measures the
# server. Nothing is started as a service.
# Installs what is missing where it can (Debian, Ubuntu, macOS); says what to install elsewhere.
set -euo pipefail

readonly swift_major=6 swift_minor=2
readonly purpose=${1:-}

say() { printf 'setup: %s\n' "$*"; }

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

check_swift() {
  local remedy="install Swift $swift_major.$swift_minor or newer: https://www.swift.org/install"
  has swift || fail "swift was not found on PATH" "$remedy"
  local version
  version=$(swift --version 2>/dev/null) || fail "'swift --version' fails" "$remedy"
  [[ $version =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] ||
    fail "'swift --version' names no version" "$remedy"
  local major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
  if ((major < swift_major || (major == swift_major && minor < swift_minor))); then
    fail "Swift $major.$minor is too old" "$remedy"
  fi
}

# Whether a C file that includes the header compiles. Arguments: header, pkg-config module.
has_header() {
  local compiler flags
  if has cc; then compiler=cc; else compiler=clang; fi
  flags=$(pkg-config --cflags "$2" 2>/dev/null) || flags=""
  # shellcheck disable=SC2086 # the flags are separate words
  printf '#include <%s>\n' "$1" | "$compiler" $flags -fsyntax-only -x c - >/dev/null 2>&1
}

# Whether apt could give the system's Python what it lacks to make environments, which `make peers`
# and `make plots` do. Tests do not: another Python is left as it is.
lacks_venv() {
  [[ $(command -v python3) == /usr/bin/python3 ]] && has apt-get &&
    ! python3 -Sc 'import ensurepip' 2>/dev/null
}

# Whether there is a PostgreSQL server that the tests can start.
has_postgresql() {
  has initdb || compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null ||
    [[ -x /opt/homebrew/opt/postgresql/bin/initdb ]]
}

# Whether a browser can be driven from Python.
has_browser() {
  { has chromium || has google-chrome; } && has chromedriver &&
    { /usr/bin/python3 -c 'import selenium' || python3 -c 'import selenium'; } 2>/dev/null
}

# What is missing, by its name: pkg-config, sqlite, zlib, zstd, simdjson, libpq, python3, python3-venv,
# postgresql, pgbouncer, bindfs, nginx, caddy, patroni, etcd-server, chromium, chromium-driver, python3-selenium,
# node-typescript, wrk.
find_missing() {
  missing=""
  has pkg-config || missing+=" pkg-config"
  has_header sqlite3.h sqlite3 || missing+=" sqlite"
  has_header zlib.h zlib || missing+=" zlib"
  has_header zstd.h libzstd || missing+=" zstd"
  pkg-config --exists simdjson 2>/dev/null || missing+=" simdjson"
  has_header libpq-fe.h libpq || missing+=" libpq"
  has python3 || missing+=" python3"
  ! lacks_venv || missing+=" python3-venv"
  [[ $purpose != @(--tests|--proxies|--failover) ]] || has_postgresql || missing+=" postgresql"
  [[ $purpose != --tests ]] || has pgbouncer || [[ -x /usr/sbin/pgbouncer ]] || missing+=" pgbouncer"
  [[ $purpose != --tests ]] || ! has apt-get || has bindfs || missing+=" bindfs"
  [[ $purpose != --proxies ]] || has nginx || [[ -x /usr/sbin/nginx ]] || missing+=" nginx"
  [[ $purpose != --proxies ]] || has caddy || missing+=" caddy"
  [[ $purpose != --failover ]] || has patroni || missing+=" patroni"
  [[ $purpose != --failover ]] || has etcd || missing+=" etcd-server"
  [[ $purpose != --browser ]] || has_browser || missing+=" chromium chromium-driver python3-selenium"
  [[ $purpose != --browser ]] || has tsc || ! has apt-get || missing+=" node-typescript"
  [[ $purpose != --measure ]] || has wrk || missing+=" wrk"
  missing=${missing# }
}

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif has sudo; then
    sudo "$@"
  else
    fail "not root and no sudo; run as root: $*"
  fi
}

install_with_apt() {
  local -a packages=()
  local name
  for name in $missing; do
    case $name in
      sqlite) packages+=(libsqlite3-dev) ;;
      zlib) packages+=(zlib1g-dev) ;;
      zstd) packages+=(libzstd-dev) ;;
      simdjson) packages+=(libsimdjson-dev) ;;
      libpq) packages+=(libpq-dev) ;;
      python3) packages+=(python3 python3-venv) ;;
      *) packages+=("$name") ;;
    esac
  done
  say "updating the package lists (apt-get update)"
  as_root apt-get update -qq || say "apt-get update failed; going on with the lists there are"
  say "installing ${packages[*]} (apt-get install)"
  local output
  output=$(as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq \
    --no-install-recommends -o DPkg::Lock::Timeout=120 "${packages[@]}" </dev/null 2>&1) ||
    fail "$output" \
      "apt-get could not install; try: apt-get update && apt-get install ${packages[*]}"
}

install_with_brew() {
  case " $missing " in
    *" sqlite "*) fail "sqlite3.h was not found; install Apple's SDK: xcode-select --install" ;;
    *" patroni "* | *" etcd-server "*) fail "missing: $missing; this trial needs Debian or Ubuntu" ;;
  esac
  has brew || fail "missing: $missing; Homebrew was not found; install it, then run this again"
  say "installing $missing (brew install)"
  # shellcheck disable=SC2086 # the names are separate words
  HOMEBREW_NO_AUTO_UPDATE=1 brew install --quiet $missing </dev/null ||
    fail "brew could not install; try: brew update && brew install $missing"
}

check_swift
find_missing
if [[ -z $missing ]]; then
  say "nothing to do"
  exit 0
fi

if [[ $(uname -s) == Darwin ]]; then
  install_with_brew
elif has apt-get; then
  install_with_apt
else
  fail "missing: $missing" \
    "install pkg-config, python3 and the development files (headers) of SQLite 3, zlib, zstd, simdjson" \
    "and libpq, and for the tests PostgreSQL, for example: dnf install pkgconf-pkg-config python3" \
    "sqlite-devel zlib-devel libzstd-devel simdjson-devel libpq-devel postgresql-server"
fi

find_missing
[[ -z $missing ]] || fail "still missing after the installation: $missing"
say "done"
