import Foundation
import Testing
import VarveCore
import VarveStore

@Suite struct InstantTests {
  /// A store on the system's clock, with all that it shows.
  private func store(_ engine: Engine) async throws -> Store {
    try await makeStore(engine) { configuration in
      configuration.wallMilliseconds = SystemClock.millisecondsSince1970
      configuration.wallTime = SystemClock.time
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `the state at an instant has everything written before it, and nothing written after`(
    engine: Engine
  ) async throws {
    let store = try await store(engine)
    try await store.createNodes("a")
    for number in 1...60 as ClosedRange<Int64> {
      try await store.set("a", "k", .int(number))
      let date = Date()
      // A whole millisecond means all of it.
      guard try HybridTime(instant: date).counter != 0 else { continue }
      let then = try store.asOf(date)
      try await store.set("a", "k", .int(-number))
      for _ in 0..<2 { #expect(try await then.require("a")["k"] == .int(number)) }
      #expect(try await store.asOf(date).require("a")["k"] == .int(number))
    }
  }

  @Test(arguments: [Engine.memory, .file])
  func `a write for now displaces one from just before`(engine: Engine) async throws {
    let store = try await store(engine)
    try await store.createNodes("a")
    for number in 1...40 as ClosedRange<Int64> {
      try await store.set("a", "k", .int(number))
      let date = Date()
      try await store.set("a", "k", .int(-number), at: date)
      guard try HybridTime(instant: date).counter != 0 else { continue }
      #expect(try await store.require("a")["k"] == .int(-number))
      #expect(try await store.asOf(date).require("a")["k"] == .int(-number))
    }
  }

  @Test(arguments: Engine.allCases)
  func `the state at the date of a version has that version`(engine: Engine) async throws {
    let store =
      engine == .reference ? try await makeStore(engine) : try await store(engine)
    try await store.createNodes("a")
    try await store.set("a", "k", 1)
    let version = try #require(try await store.history(of: "a", "k").first)
    #expect(try await store.asOf(version.time.date).require("a")["k"] == 1)
  }
}
