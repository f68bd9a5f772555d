import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Processes with indexes of their own on one home", .serialized)
struct HomeProcessTests {
  @Test
  func `write one order and one chain, and one that is killed loses nothing it acknowledged`()
    async throws
  {
    let scratch = try Scratch()
    let home = scratch.path("home")
    _ = try FileHome(home)
    let steady = try ["a", "b"].map { try Torture("home", home, scratch.path($0), $0, "25") }
    var acknowledged = 0
    for round in 0..<4 {
      let writer = try Torture("home", home, scratch.path("killed"), "killed", "0")
      try await writer.said(2 + round)
      try await writer.kill()
      acknowledged += writer.lines.count
    }
    for process in steady {
      try await process.end()
      #expect(process.lines.last == "wrote 25")
    }
    var configuration = SQLiteBackend.Configuration()
    configuration.home = try FileHome(home)
    let exports = try await ["a", "killed", "fresh"].asyncMap { name in
      let backend = try await SQLiteBackend.open(
        .file(scratch.path(name)),
        configuration: configuration
      )
      #expect(try await backend.findings() == [])
      #expect(try await backend.chains().count == 1)
      let ledgers = try await backend.read(at: .now) { try await $0.fetch(Query("Ledger")) }
      let counts = Dictionary(uniqueKeysWithValues: ledgers.map { ($0.id, $0["n"]) })
      #expect(counts["ledger a"] == 25 && counts["ledger b"] == 25)
      let kept = counts["ledger killed"]??.intValue ?? 0
      #expect((acknowledged...acknowledged + 4).contains(Int(kept)), "\(acknowledged)")
      let people = try await backend.read(at: .now) { try await $0.fetch(Query("Person")) }
      #expect(Set(people.compactMap { $0["name"] }).count == people.count)
      return try await CanonicalExport(of: backend)
    }
    #expect(exports.allSatisfy { $0 == exports[0] })
  }
}

extension Array {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
