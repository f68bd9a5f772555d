#!/usr/bin/env bash
# Makes a package in a temporary folder that depends on this working tree, as it is now, by its file://
# address, and builds and runs it: products that only dependents see fail are found here. A quick run
# builds Varve and VarveJSON without traits, in debug. With --all, a second package depends on every
# product, with traits, in release.
# Arguments: --all, and the build systems (native, swiftbuild); by default both.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
all=
[[ ${1:-} != --all ]] || { all=yes; shift; }
systems=("$@")
[[ $# -gt 0 ]] || systems=(native swiftbuild)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say() { printf 'consumer: %s\n' "$*"; }

fail() {
  say "$*" >&2
  exit 1
}

# A dependent does not build strictly: the variable is that of Varve's own builds.
unset VARVE_STRICT

# Makes a commit of the working tree, with what is not committed yet.
make_dependency() {
  git clone --quiet --no-hardlinks "$root" "$folder/varve"
  git -C "$folder/varve" rm -r --quiet .
  (cd "$root" && git ls-files --cached --others --exclude-standard -z |
    tar --create --null --files-from=- --ignore-failed-read 2>/dev/null) |
    tar --extract --directory "$folder/varve"
  git -C "$folder/varve" add --all --force
  git -C "$folder/varve" -c user.name=consumer -c user.email=consumer@localhost \
    commit --quiet --allow-empty -m "the working tree"
  git -C "$folder/varve" checkout --quiet -B consumer
}

# Makes a package. Arguments: its name, what follows the branch in its line of dependencies, the products.
make_package() {
  local name=$1 traits=$2 products=""
  shift 2
  local product
  for product in "$@"; do products+=".product(name: \"$product\", package: \"varve\"), "; done
  mkdir -p "$folder/$name/Sources/$name"
  cat >"$folder/$name/Package.swift" <<PACKAGE
// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "$name",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "file://$folder/varve", branch: "consumer"$traits)],
  targets: [.executableTarget(name: "$name", dependencies: [$products])]
)
PACKAGE
}

# Builds a package, runs it, and compares what it prints. Arguments: its name, the expected line, flags.
run_package() {
  local name=$1 expected=$2 program said
  shift 2
  (cd "$folder/$name" && swift build "$@" --quiet >&2)
  program=$(cd "$folder/$name" && swift build "$@" --show-bin-path)/$name
  said=$("$program")
  [[ $said == "$expected" ]] || fail "$name printed: $said"
  say "$name: $said"
}

# The packages that SwiftPM fetched for a package, besides Varve.
fetched() {
  (cd "$1/repositories" && printf '%s\n' *) | sed 's/-[0-9a-f]*$//' | grep -vx varve
}

# A product whose trait is off must fail with the trait's name.
check_switched_off() {
  make_package without-trait "" VarveServer
  printf 'import VarveServer\nlet server: VarveServer? = nil\nprint(server as Any)\n' \
    >"$folder/without-trait/Sources/without-trait/main.swift"
  local output
  if output=$(cd "$folder/without-trait" && swift build --scratch-path "$1" 2>&1); then
    fail "a product whose trait is off can be used"
  fi
  [[ $output == *"needs the trait Server"* ]] || fail "no message names the trait: $output"
  say "without-trait: the compiler names the trait"
}

make_dependency
make_package application "" Varve VarveJSON
cat >"$folder/application/Sources/application/main.swift" <<'PROGRAM'
import Foundation
import Varve
import VarveJSON

@Entity struct Hat {
  var id = Identifier<Hat>()
  var color: String
}

let path = NSTemporaryDirectory() + "consumer-\(UUID().uuidString).varve"
let store = try await Store.open(.file(path))
try await store.save(Hat(color: "red"))
let hats = try await store.fetch(Hat.all)
print("\(hats.count) hat, \(hats[0].color)")
try await store.close()
try FileManager.default.removeItem(atPath: path)
PROGRAM

# The products with libraries, as Package.swift lists them.
libraries=$(sed -n 's/^ *\.library(name: "\([A-Za-z]*\)".*/\1/p' "$root/Package.swift")
if [[ -n $all ]]; then
  # shellcheck disable=SC2086 # the names are separate words
  make_package everything ', traits: ["Server", "YAML"]' $libraries
  {
    printf 'import %s\n' $libraries
    printf 'print(VarveServer.self, RemoteSpace.self, YAMLDocument.self)\n'
  } >"$folder/everything/Sources/everything/main.swift"
fi

for system in "${systems[@]}"; do
  say "building by the build system $system"
  scratch="$folder/build-$system"
  SECONDS=0
  run_package application "1 hat, red" --build-system "$system" --scratch-path "$scratch"
  say "$system: $SECONDS s; fetched: $(fetched "$scratch" | paste -sd' ')"
  if [[ $system == native ]]; then check_switched_off "$scratch"; fi
  rm -rf "$scratch"
  if [[ -n $all ]]; then
    SECONDS=0
    run_package everything "VarveServer RemoteSpace YAMLDocument" \
      -c release --build-system "$system" --scratch-path "$scratch-everything"
    say "$system: $SECONDS s, everything in release"
    rm -rf "$scratch-everything"
  fi
done
