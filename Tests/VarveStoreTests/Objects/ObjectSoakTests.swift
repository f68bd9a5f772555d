import Foundation
import Testing
import VarveCore
import VarveStore

/// Minutes of loading, for `make soak`.
@MainActor
@Suite(
  "Soak: a million loads",
  .serialized,
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct ObjectSoakTests {
  @Test(arguments: [Engine.memory, .file])
  func `need no more memory than the first hundred thousand, a hundred held at a time`(
    engine: Engine
  ) async throws {
    let store = try await makeStore(engine)
    let ids = try (0..<10_000).map { try EntityID("s\($0)") }
    try await store.write { transaction in
      for id in ids { try await transaction.create("Square", id: id, ["side": 1]) }
    }
    let objects = try await Objects.ofShapes(store)
    var window: [Square] = []
    var place = 0
    var bytesAtStart = 0
    for index in 0..<1_000_000 {
      let square = try await objects.load(ids[index &* 7_919 % ids.count], as: Square.self)
      if window.count < 100 { window.append(square) } else { window[place] = square }
      place = (place + 1) % 100
      if index == 100_000 { bytesAtStart = Self.residentBytes }
    }
    let growth = Self.residentBytes - bytesAtStart
    print("a million loads in \(engine): \(growth / 1_024) KiB more than after 100,000")
    #expect(growth < 4 << 20)
    #expect(objects.entryCount <= 256)
    let last = ids.filter { objects.live($0) != nil }
    #expect(last.count == 100)
    window = []
    #expect(ids.allSatisfy { objects.live($0) == nil })
  }

  /// The present memory use of the process; 0 if the system does not show it in `/proc`.
  private static var residentBytes: Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096
  }
}
