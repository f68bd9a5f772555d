import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Issues")
struct IssueTests {
  @Test(arguments: Engine.allCases)
  func `list entities with the same values of some keys`(engine: Engine) async throws {
    let store = try await makeStore(engine)
    try await store.write { tx in
      try await tx.create("Hat", id: "a", ["color": "red", "size": 1])
      try await tx.create("Hat", id: "b", ["color": "red", "size": 1.0])
      try await tx.create("Hat", id: "c", ["color": "red", "size": 2])
      try await tx.create("Hat", id: "d", ["color": "blue"])
      try await tx.create("Hat", id: "e", ["color": "blue"])
      try await tx.create("Hat", id: "f", ["weight": .double(.nan)])
      try await tx.create("Hat", id: "g", ["weight": .double(.nan)])
      try await tx.create("Cap", id: "h", ["color": "red", "size": 1])
    }
    let doubles = try await store.duplicates(of: "Hat", keys: ["color", "size"])
    #expect(doubles.map(\.entities) == [["d", "e"], ["a", "b"]])
    #expect(doubles.map(\.values) == [["blue", nil], ["red", 1]])
    #expect(try await store.duplicates(of: "Hat", keys: ["weight"]) == [])
    #expect(try await store.duplicates(of: "Hat", keys: ["unknown"]) == [])
    let error = await failure { _ = try await store.duplicates(of: "Hat", keys: []) }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: Engine.allCases)
  func `issues are those of the state that is asked`(engine: Engine) async throws {
    let clock = TestClock()
    let store = try await makeStore(engine, clock: clock)
    try await store.createNodes("a", "b")
    try await store.set("a", "n", 1)
    try await store.set("b", "n", 1)
    try await store.own(("a", "b"), ("b", "a"))
    let then = try await store.frontier()
    try await store.set("b", "n", 2)
    try await store.makeRoot("a")
    #expect(try await store.duplicates(of: "node", keys: ["n"]) == [])
    #expect(try await store.ownerlessCycles() == [])
    let past = store.asOf(then)
    #expect(try await past.duplicates(of: "node", keys: ["n"]).map(\.entities) == [["a", "b"]])
    #expect(try await past.ownerlessCycles().map(\.members) == [["a", "b"]])
  }

  @Test(
    arguments: Engine.allCases
  )
  func `list cycles without an outside owner, and not the entities they own`(engine: Engine)
    async throws
  {
    let store = try await makeStore(engine)
    try await store.createNodes("root", "a", "b", "c", "d", "e", "f", "g", "self", "h", "i")
    // a, b and c in a cycle, d and e in one below it; f and g are owned by the root too.
    try await store.own(("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e"), ("e", "d"))
    try await store.own(("root", "f"), ("f", "g"), ("g", "f"), ("self", "self"))
    #expect(
      try await store.ownerlessCycles().map(\.members) == [["a", "b", "c"], ["self"]]
    )
    // An owner that was not created yet counts as an outside one.
    try await store.own(("h", "i"), ("i", "h"), ("stranger", "i"))
    #expect(try await store.ownerlessCycles().count == 2)
    try await store.erase("a")
    #expect(try await store.ownerlessCycles().map(\.members).contains(["a", "b", "c"]) == false)
  }

  @Test func `issues of a cycle a hundred thousand long are found without recursion`() async throws
  {
    let store = try await makeStore(.memory)
    let ids = (0..<100_000).map { EntityID(unchecked: "n\($0)") }
    try await store.write { tx in
      for id in ids { try await tx.create("node", id: id) }
      for (owner, owned) in zip(ids, ids.dropFirst() + [ids[0]]) {
        try await tx.relate(owner, .owns, owned)
      }
    }
    #expect(try await store.ownerlessCycles().map(\.members.count) == [100_000])
  }

  @Test(arguments: 0..<40)
  func `issues of random graphs are the results of a naive search`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let store = try await makeStore(.reference)
    let ids = (0..<12).map { EntityID(unchecked: "n\($0)") }
    var edges: Set<[Int]> = []
    for _ in 0..<Int.random(in: 6...20, using: &random) {
      edges.insert([Int.random(in: 0..<12, using: &random), Int.random(in: 0..<12, using: &random)])
    }
    try await store.write { tx in
      for id in ids { try await tx.create("node", id: id) }
      for edge in edges.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        try await tx.relate(ids[edge[0]], .owns, ids[edge[1]])
      }
    }
    // For each entity, the entities reachable over one or more edges.
    var leads = Array(repeating: Array(repeating: false, count: 12), count: 12)
    for edge in edges { leads[edge[0]][edge[1]] = true }
    for middle in 0..<12 {
      for from in 0..<12 where leads[from][middle] {
        for to in 0..<12 where leads[middle][to] { leads[from][to] = true }
      }
    }
    let topmost = (0..<12).filter { node in
      leads[node][node] && (0..<12).allSatisfy { !leads[$0][node] || leads[node][$0] }
    }
    let cycles = Dictionary(grouping: topmost) { node in
      (0..<12).first { leads[node][$0] && leads[$0][node] }
    }
    let wanted = cycles.values.map { $0.map { ids[$0] }.sorted() }
      .sorted { $0.lexicographicallyPrecedes($1) }
    #expect(try await store.ownerlessCycles().map(\.members) == wanted)
  }
}
