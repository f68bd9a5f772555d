import Testing
import VarveStore
import VarveSync

/// The code of the documentation of issues, run on stores in memory.
@Suite("The examples of issues behave as documented")
struct IssueExampleTests {
  @Test func `resolving issues`() async throws {
    // snippet: Sources/VarveStore/VarveStore.docc/ResolvingIssues.md
    let here = try await Store.open(.inMemory)
    let there = try await Store.open(.inMemory)
    try await here.create("Member", id: "ana", ["number": 7, "name": "Ana"])
    try await there.create("Member", id: "ann", ["number": 7, "phone": "12"])
    try await there.create("Boat", id: "boat", ["captain": .reference("ann")])
    try await here.sync(with: there)

    for double in try await here.duplicates(of: "Member", keys: ["number"]) {
      print(double.values, double.entities)  // [Optional(7)] [ana, ann]
    }
    // end
    #expect(try await here.duplicates(of: "Member", keys: ["number"]).count == 1)
    // snippet: Sources/VarveStore/VarveStore.docc/ResolvingIssues.md
    let merge = try await here.mergeDuplicates(["ann"], into: "ana")
    print(merge.properties)  // [phone]
    let boat = try await here.require("boat")
    print(boat["captain"] == .reference("ana"))  // true
    // end
    #expect(merge.properties == ["phone"])
    #expect(boat["captain"] == .reference("ana"))
    // snippet: Sources/VarveStore/VarveStore.docc/ResolvingIssues.md
    try await here.sync(with: there)
    try await here.setCollection("boat", "crew", to: ["ana"])
    try await there.setCollection("boat", "crew", to: ["ana"])
    try await here.sync(with: there)

    for repetition in try await here.repetitions(of: "Boat", key: "crew") {
      print(repetition.target, repetition.count, repetition.meantCount)  // ana 2 1
      try await here.write { try await $0.removeRepetitions(of: repetition.entity, "crew") }
    }
    print(try await here.collection(of: "boat", "crew") == ["ana"])  // true
    // end
    #expect(try await here.collection(of: "boat", "crew") == ["ana"])
    // snippet: Sources/VarveStore/VarveStore.docc/ResolvingIssues.md
    try await here.sync(with: there)
    try await here.set("boat", "name", "Gull")
    try await there.set("boat", "name", "Tern")
    try await here.sync(with: there)

    for conflict in try await here.conflicts() where conflict.kind == .value {
      print(conflict.versions.map { $0.description })
      try await here.resolve(conflict, by: .version(0))
    }
    try await here.sync(with: there)
    print(try await there.conflicts().isEmpty)  // true
    // end
    #expect(try await there.conflicts().isEmpty)
    #expect(try await there.require("boat")["name"] == here.require("boat")["name"])
  }
}
