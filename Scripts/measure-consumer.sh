#!/usr/bin/env bash
# Measures what a program pays for its store: the time of a clean release build, and the size of the
# stripped program, of one that uses Varve and one that uses GRDB. Both save a record and read it.
# Fetching is not timed. Varve is this repository's last commit. The builds follow each other, because both
# use all cores.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
unset VARVE_STRICT

# Makes a package. Arguments: its name, its dependency, the product of it. The program is read.
make_package() {
  mkdir -p "$folder/$1/Sources/$1"
  cat >"$folder/$1/Sources/$1/main.swift"
  cat >"$folder/$1/Package.swift" <<PACKAGE
// swift-tools-version:6.2
import PackageDescription

let package = Package(
  name: "$1",
  platforms: [.macOS(.v15)],
  dependencies: [$2],
  targets: [.executableTarget(name: "$1", dependencies: [$3])]
)
PACKAGE
}

# Builds a package, and sets the seconds that it took and the bytes of the stripped program.
measure() {
  (cd "$folder/$1" && swift package resolve >&2)
  local start=$SECONDS program
  (cd "$folder/$1" && swift build -c release --quiet >&2)
  seconds=$((SECONDS - start))
  program=$(cd "$folder/$1" && swift build -c release --show-bin-path)/$1
  said=$("$program")
  [[ $said == "1 hat, red" ]] || { printf 'measure-consumer: %s printed: %s\n' "$1" "$said" >&2; exit 1; }
  strip -o "$folder/stripped" "$program"
  bytes=$(wc -c <"$folder/stripped")
}

grdb=$(sed -n 's/^ *\(\.package(url: "[^"]*GRDB[^"]*", from: "[^"]*")\),.*/\1/p' "$root/Package.swift")
make_package with-varve ".package(url: \"file://$root\", revision: \"$(git -C "$root" rev-parse HEAD)\")" \
  ".product(name: \"Varve\", package: \"$(basename "$root")\")" <<'PROGRAM'
import Foundation
import Varve

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
make_package with-grdb "$grdb" '.product(name: "GRDB", package: "GRDB.swift")' <<'PROGRAM'
import Foundation
import GRDB

struct Hat: Codable, FetchableRecord, PersistableRecord {
  var id: String
  var color: String
}

let path = NSTemporaryDirectory() + "consumer-\(UUID().uuidString).sqlite"
let pool = try DatabasePool(path: path)
try await pool.write { db in
  try db.create(table: "hat") { table in
    table.primaryKey("id", .text)
    table.column("color", .text).notNull()
  }
  try Hat(id: UUID().uuidString, color: "red").insert(db)
}
let hats = try await pool.read { try Hat.fetchAll($0) }
print("\(hats.count) hat, \(hats[0].color)")
try pool.close()
try FileManager.default.removeItem(atPath: path)
PROGRAM

measure with-grdb
other=$seconds
printf 'GRDB: %d s, %d bytes\n' "$seconds" "$bytes"
measure with-varve
printf 'Varve: %d s, %d bytes\n' "$seconds" "$bytes"
awk -v one="$seconds" -v two="$other" 'BEGIN { printf "ratio of the times: %.2f\n", one / two }'
