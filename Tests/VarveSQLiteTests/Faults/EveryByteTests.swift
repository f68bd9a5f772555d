import Foundation
import Testing
import VarveTestSupport

@Suite("One bit of a store's file that has changed", .enabled(if: PlainFiles.areUsed))
struct EveryByteTests {
  @Test(arguments: 0..<4 as Range<UInt64>)
  func `is found, or no result changes: some bytes`(seed: UInt64) async throws {
    let store = try await EverythingStore(smallPages: true)
    var random = SplitMix64(seed: seed)
    let offsets = (0..<40).map { _ in Int.random(in: 0..<store.bytes.count, using: &random) }
    try await store.expectFound(offsets, seed: seed)
  }
}

/// Every byte of the file: minutes of work, for `make soak`.
@Suite(
  "Soak: one bit of a store's file that has changed",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct EveryByteSoakTests {
  private static let partCount = 8

  @Test(arguments: 0..<8)
  func `is found, or no result changes: every byte`(part: Int) async throws {
    let store = try await EverythingStore(smallPages: true)
    let offsets = Array(stride(from: part, to: store.bytes.count, by: Self.partCount))
    try await store.expectFound(offsets, seed: UInt64(part))
  }
}

extension EverythingStore {
  /// Expects that a flipped bit in each of these bytes is detected, or makes no difference.
  fileprivate func expectFound(_ offsets: [Int], seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let copy = scratch.path("copy")
    try replaceStore(copy, with: bytes)
    #expect(try await outcome(copy) == .harmless)
    for offset in offsets {
      let bit = Int.random(in: 0..<8, using: &random)
      var flipped = bytes
      flipped[offset] ^= 1 << UInt8(bit)
      try replaceStore(copy, with: flipped)
      let outcome = try await outcome(copy)
      if case .wrong(let difference) = outcome {
        Issue.record("byte \(offset) of \(bytes.count), bit \(bit): \(difference)")
      }
    }
  }
}
