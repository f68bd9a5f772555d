import Foundation
import VarveCore
import VarveStore
import VarveSync

/// A new copy of a store whose texts were written over many times, over a line of 20 Mbit/s: until
/// its present can be read, and until it has all of it.
enum FirstSync {
  static let name = "first synchronisation"
  private static let whole = "whole commits"
  private static let present = "the present, first"
  private static let all = "the present, then history"

  private static let bytesPerSecond = 2_500_000.0

  /// Five hundred texts of a kilobyte, written forty times, a hundred a commit.
  static func make(_ context: Context) async throws -> Benchmark {
    let source = context.workspace.freshPath("varve")
    let store = try await Store.open(source)
    let ids = try (0..<context.scaled(500)).map { try EntityID("text \($0)") }
    for version in 0..<40 {
      for start in stride(from: 0, to: ids.count, by: 100) {
        try await store.write { tx in
          for id in ids[start..<min(start + 100, ids.count)] {
            let text = Self.text(version)
            if version == 0 {
              try await tx.create("Text", id: id, ["body": text])
            } else {
              try await tx.set(id, "body", text)
            }
          }
        }
      }
    }
    let last = ids[ids.count - 1]
    return Benchmark(
      name: name,
      contestants: [
        .init(name: whole) { try await times(store, last, false, context).all },
        .init(name: present) { try await times(store, last, true, context).present },
        .init(name: all) { try await times(store, last, true, context).all },
      ],
      comparisons: [
        .init(name: present, subject: present, anchor: whole, kind: .cost, bar: nil),
        .init(name: all, subject: all, anchor: whole, kind: .cost, bar: nil),
      ]
    )
  }

  /// Returns a kilobyte of text that compresses about as well as writing.
  private static func text(_ version: Int) -> Value {
    var generator = SystemRandomNumberGenerator()
    let words = (0..<170).map { _ in String(UInt16.random(in: 0..<4_096, using: &generator)) }
    return .string("\(version) " + words.joined(separator: " "))
  }

  /// Returns the time until a waiting reader can read the last entity, and until the end.
  private static func times(
    _ source: Store,
    _ last: EntityID,
    _ presentFirst: Bool,
    _ context: Context
  ) async throws -> (present: Double, all: Double) {
    let path = context.workspace.freshPath("varve")
    defer { context.workspace.discard(path) }
    let copy = try await Store.open(path)
    let start = ContinuousClock.now
    async let present: Double = {
      while try await !isThere(last, in: copy) { try await Task.sleep(for: .milliseconds(2)) }
      return (ContinuousClock.now - start) / .seconds(1)
    }()
    let (here, there) = SlowLine.pair(bytesPerSecond: bytesPerSecond)
    async let other = source.sync(over: there)
    try await copy.sync(over: here, presentFirst: presentFirst)
    _ = try await other
    let all = (ContinuousClock.now - start) / .seconds(1)
    let times = (try await present, all)
    guard try await copy.history(of: last, "body").count == 40 else { throw Incomplete() }
    try await copy.close()
    return times
  }

  private static func isThere(_ id: EntityID, in store: Store) async throws -> Bool {
    do {
      return try await store.entity(id) != nil
    } catch let error as VarveError where error.code == .historyAwaited {
      return false
    }
  }

  private struct Incomplete: Error {}
}
