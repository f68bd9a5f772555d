import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// An attempt that changes more pages than fit in memory, some of them twice, and is undone.
///
/// SQLite writes such pages to its log early. Versions such as 3.40.1 then compute wrong checksums
/// for the commits that follow: these are there until the process ends, and are lost if it is
/// killed.
@Suite struct SpilledAttemptTests {
  private struct Regret: Error {}

  @Test func `commits after an undone attempt survive the end of the process`() async throws {
    let budget = Store.memoryBudget
    Store.memoryBudget = 1 << 20
    defer { Store.memoryBudget = budget }
    let scratch = try Scratch()
    let (path, killed) = (scratch.path("hats.varve"), scratch.path("killed.varve"))
    let store = try await Store.open(path)
    try await store.write { tx in
      _ = try? await tx.attempt {
        let ids = try (0..<8_000).map { try EntityID("hat-\($0)") }
        for id in ids { try await tx.create("Hat", id: id, ["text": .string(Self.text())]) }
        for id in ids.suffix(2_000) { try await tx.set(id, "text", .string(Self.text())) }
        for id in ids.suffix(2_000) { try await tx.set(id, "text", .string(Self.text())) }
        throw Regret()
      }
      try await tx.create("Hat", id: "kept")
    }
    try await store.create("Hat", id: "later")
    // The files as they would be found if the process were killed now.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: killed + suffix)
    }
    let found = try await Store.open(killed)
    #expect(try await found.entity("kept") != nil)
    #expect(try await found.entity("later") != nil)
    #expect(try await found.check().isClean)
    try await found.close()
    try await store.close()
  }

  /// A text of a kilobyte that does not compress.
  private static func text() -> String {
    (0..<80).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
  }
}
