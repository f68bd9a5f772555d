import Foundation
import VarveCore
import VarveStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes commits whose transactions undo attempts, most of which change more than the page cache
/// holds, and prints what was acknowledged, until it is killed, its parent ends, or a minute is
/// over.
enum AttemptingWriter {
  private struct Regret: Error {}

  static func run(_ path: String, name: String) async throws {
    Store.memoryBudget = 1 << 20
    let store = try await Store.open(path)
    Report.line("open")
    let (parent, end) = (getppid(), ContinuousClock.now + .seconds(60))
    var number: Int64 = 0
    while getppid() == parent, ContinuousClock.now < end {
      number += 1
      let n = number
      let (_, commit) = try await store.commit(author: name) { tx in
        if Bool.random() { _ = try? await tx.attempt { try await write(tx, n) } }
        try await tx.save("Ledger", id: EntityID("ledger \(name)"), ["n": .int(n)])
      }
      if let commit { Report.acknowledge(commit.id) }
    }
  }

  /// Writes entities, writes some of them again, and regrets it.
  private static func write(_ transaction: WriteTransaction, _ number: Int64) async throws {
    let count = Int.random(in: 1...1_500)
    let again = Int.random(in: 0...count)
    let ids = try (0..<count).map { try EntityID("regretted \(number) \($0)") }
    for id in ids { try await transaction.create("Regretted", id: id, ["text": .string(text())]) }
    for _ in 0..<2 {
      for id in ids.suffix(again) { try await transaction.set(id, "text", .string(text())) }
    }
    throw Regret()
  }

  /// A text of a kilobyte that does not compress.
  private static func text() -> String {
    (0..<80).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
  }
}
