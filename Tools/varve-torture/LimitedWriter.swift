import Foundation
import VarveCore
import VarveStore

/// Writes until files cannot grow any further, and continues when they can again.
enum LimitedWriter {
  /// Allows files to grow to a number of bytes.
  static func run(_ path: String, byteCount: Int) async throws {
    FileLimit.prepare()
    let store = try await Store.open(path)
    try await write(1, to: store)
    try FileLimit.set(to: byteCount)
    var n = 2
    do {
      while true {
        try await write(n, to: store)
        n += 1
      }
    } catch let error as VarveError {
      Report.line("failed \(error.code.rawValue) \(error.place != nil) \(error.remedy != nil)")
    }
    Report.line("counted \(try await store.count(Query("Thing"))) after \(n - 1)")
    try FileLimit.set(to: nil)
    try await write(n, to: store)
    Report.line("checked \(try await store.check().findings)")
    try await store.close()
  }

  /// Writes many entities that share a number.
  private static func write(_ n: Int, to store: Store) async throws {
    let rows = try (0..<100).map { index in
      (try EntityID("thing \(n) \(index)"), [.int(Int64(n)), .string("\(n * 7_919)")] as [Value?])
    }
    let (_, commit) = try await store.commit { tx in
      try await tx.create("Thing", keys: ["n", "text"], rows: rows)
    }
    if let commit { Report.acknowledge(commit.id) }
  }
}
