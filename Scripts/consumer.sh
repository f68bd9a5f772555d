#!/usr/bin/env bash
# Makes a package in a temporary folder that depends on this working tree, as it is now, by its file://
# address, and builds and runs it: products that only dependents see fail are found here. Arguments:
# the build systems (native, swiftbuild); by default both.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
systems=("$@")
[[ $# -gt 0 ]] || systems=(native swiftbuild)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say() { printf 'consumer: %s\n' "$*"; }

# A dependent does not build strictly: the variable is that of Varve's own builds.
unset VARVE_STRICT

# A commit of the working tree, with what is not committed yet.
git clone --quiet --no-hardlinks "$root" "$folder/varve"
(cd "$root" && git ls-files --cached --others --exclude-standard -z) |
  (cd "$folder/varve" && git rm -r --quiet --cached . && find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} + &&
    (cd "$root" && tar --create --null --files-from=- --ignore-failed-read 2>/dev/null) | tar --extract)
git -C "$folder/varve" add --all --force
git -C "$folder/varve" -c user.name=consumer -c user.email=consumer@localhost commit --quiet --allow-empty -m "the working tree"
git -C "$folder/varve" checkout --quiet -B consumer

mkdir -p "$folder/application/Sources/application"
cat >"$folder/application/Package.swift" <<PACKAGE
// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "application",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "file://$folder/varve", branch: "consumer", traits: [])],
  targets: [
    .executableTarget(
      name: "application",
      dependencies: [
        .product(name: "Varve", package: "varve"), .product(name: "VarveJSON", package: "varve"),
      ]
    )
  ]
)
PACKAGE
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
let hats = try await store.fetch(Hat.self)
print("\(hats.count) hat, \(hats[0].color)")
try await store.close()
try FileManager.default.removeItem(atPath: path)
PROGRAM

for system in "${systems[@]}"; do
  say "building by the build system $system"
  (cd "$folder/application" && swift build --build-system "$system" --scratch-path "$folder/build-$system" --quiet >&2)
  program=$(cd "$folder/application" && swift build --build-system "$system" --scratch-path "$folder/build-$system" --show-bin-path)/application
  said=$("$program")
  [[ $said == "1 hat, red" ]] || { say "the program said: $said"; exit 1; }
  say "$system: $said"
  rm -rf "$folder/build-$system"
done
