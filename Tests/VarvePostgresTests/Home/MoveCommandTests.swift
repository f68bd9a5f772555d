#if CommandLine && Server
import Testing
import VarveClient
import VarveCore
import VarvePostgres
import VarveSealed
import VarveStore
import VarveTestSupport

@Suite(
  "varve home move",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct MoveCommandTests {
  @Test
  func `makes no space for a file that is not there, and no file for a space that is not there`()
    async throws
  {
    let (url, name, scratch) = (
      try await PostgresCluster.url(), "\(SpaceID.random())", try Scratch()
    )
    let file = scratch.path("hats.varve")
    let refused = try await HostProcess.varve("home", "move", file, url, "--space", name)
    #expect(refused.contains("notFound"), "\(refused)")
    let home = try await PostgresHome(url)
    #expect(try await home.spaceNames().contains(name) == false)
    let refusedBack = try await HostProcess.varve("home", "move", url, file, "--space", name)
    #expect(refusedBack.contains("notFound"), "\(refusedBack)")
    #expect(try await home.spaceNames().contains(name) == false)
    let source = try await Store.open(.file(file))
    try await source.create("Hat", id: "hat")
    try await source.close()
    let moved = try await HostProcess.varve("home", "move", file, url, "--space", name)
    #expect(moved.contains("1 commit"), "\(moved)")
    let back = scratch.path("back.varve")
    let returned = try await HostProcess.varve("home", "move", url, back, "--space", name)
    #expect(returned.contains("1 commit"), "\(returned)")
    await home.close()
  }

  @Test func `refuses a file or a space that holds another store, and changes neither`()
    async throws
  {
    let (url, name, scratch) = (
      try await PostgresCluster.url(), "\(SpaceID.random())", try Scratch()
    )
    let (hats, caps) = (scratch.path("hats.varve"), scratch.path("caps.varve"))
    for (file, type) in [(hats, "Hat"), (caps, "Cap")] {
      let store = try await Store.open(.file(file))
      try await store.create(EntityType(type), id: "one")
      try await store.close()
    }
    let moved = try await HostProcess.varve("home", "move", hats, url, "--space", name)
    #expect(moved.contains("1 commit copied"), "\(moved)")
    let refused = try await HostProcess.varve("home", "move", caps, url, "--space", name)
    #expect(refused.contains("holds another store"), "\(refused)")
    let back = try await HostProcess.varve("home", "move", url, caps, "--space", name)
    #expect(back.contains("holds another store"), "\(back)")
    let file = try await Store.open(.file(caps))
    #expect(try await file.types().map(\.type) == ["Cap"])
    try await file.close()
    // What was copied before is the same store: the rest follows.
    let more = try await Store.open(.file(hats))
    try await more.create("Hat", id: "two")
    try await more.close()
    let again = try await HostProcess.varve("home", "move", hats, url, "--space", name)
    #expect(again.contains("2 commits copied"), "\(again)")
    let home = try await PostgresHome(url)
    let store = try await Store.open(.space(name, at: home, index: .inMemory))
    #expect(try await store.types().map(\.count) == [2])
    try await store.close()
    await home.close()
  }

  @Test func `a move between databases leaves a receipt, takes grants along, and can be resumed`()
    async throws
  {
    let (old, new) = (try await database("move_old"), try await database("move_new"))
    let name = "\(SpaceID.random())"
    let (from, to) = (try await PostgresHome(old), try await PostgresHome(new))
    let host = try await HostProcess(old)
    _ = try await host.send("PUT", "/v1/spaces/\(name)")
    try await host.run(#"{"op":"create","type":"Hat","id":"hat"}"#, in: name)
    let space = try #require(try await from.spaces().first { $0.name == name })
    let grant = HomeNote("grant", "\(space.id.text) ben", "a role of this space")
    try await from.replace(grant)
    try await from.replace(HomeNote("grant", "another", "a role of another space"))
    // As a move that was killed leaves it.
    _ = try await to.create(name, space.id, replica: from.log(of: space.id).head().replica)
    let moved = try await HostProcess.varve("home", "move", old, new, "--space", name)
    #expect(moved.contains("1 commit moved"), "\(moved)")
    let again = try await HostProcess.varve("home", "move", old, new, "--space", name)
    #expect(again.contains("has moved already"), "\(again)")
    #expect(try await to.spaces().first { $0.name == name } == space)
    #expect(try await to.notes("grant") == [grant])
    #expect(try await from.notes("grant").map(\.name) == ["another"])
    let reply = try await host.get("/v1/spaces/\(name)", at: "latest")
    #expect(reply.status == 410)
    #expect(reply.text.contains("moved to another home"), "\(reply.text)")
    let later = try await HostProcess(old)
    #expect(try await later.get("/v1/spaces/\(name)").status == 410)
    let other = try await HostProcess(new)
    #expect(try await other.get("/v1/spaces/\(name)/entities/hat").status == 200)
    for host in [host, later, other] { try await host.end() }
    for home in [from, to] { await home.close() }
  }

  @Test
  func `a move between databases refuses a name that is taken, and a space written to before`()
    async throws
  {
    let (old, new) = (try await database("occupied_old"), try await database("occupied_new"))
    let (from, to) = (try await PostgresHome(old), try await PostgresHome(new))
    let store = try await Store.open(.space("hats", at: from, index: .inMemory))
    try await store.create("Hat", id: "hat")
    _ = try await to.create("hats")
    let taken = try await HostProcess.varve("home", "move", old, new, "--space", "hats")
    #expect(taken.contains("is called \"hats\" already"), "\(taken)")
    let other = try #require(try await to.spaces().first)
    try await to.end(other.id)
    let space = try #require(try await from.spaces().first)
    _ = try await to.create("hats", space.id, replica: .random())
    let early = try await Store.open(.space("hats", at: to, index: .inMemory))
    try await early.create("Cap", id: "cap")
    let refused = try await HostProcess.varve("home", "move", old, new, "--space", "hats")
    #expect(refused.contains("has a log of its own"), "\(refused)")
    #expect(try await store.types().map(\.count) == [1])
    for store in [store, early] { try await store.close() }
    for home in [from, to] { await home.close() }
  }

  @Test func `ends however fast others write meanwhile, and loses nothing that they wrote`()
    async throws
  {
    let (old, new) = (try await database("bounded_old"), try await database("bounded_new"))
    let (from, to) = (try await PostgresHome(old), try await PostgresHome(new))
    let writers = try await withThrowingTaskGroup(of: Store.self) { group in
      for _ in 0..<3 {
        group.addTask { try await Store.open(.space("hats", at: from, index: .inMemory)) }
      }
      return try await group.reduce(into: [Store]()) { $0.append($1) }
    }
    let text = String(repeating: "hat ", count: 2_000)
    let writing = writers.enumerated().map { number, store in
      Task {
        var count = 0
        while true {
          do {
            let id = try EntityID("\(number)-\(count)")
            try await store.create("Hat", id: id, ["text": .string(text)])
          } catch let error as VarveError where error.code == .busy {
            continue
          } catch {
            return count
          }
          count += 1
        }
      }
    }
    try await Task.sleep(for: .milliseconds(500))
    let moved = try await HostProcess.varve("home", "move", old, new, "--space", "hats")
    #expect(moved.contains("moved"), "\(moved)")
    var written = 0
    for task in writing { written += await task.value }
    let store = try await Store.open(.space("hats", at: to, index: .inMemory))
    #expect(try await store.types().map(\.count) == [written])
    #expect(try await HomeCheck.run(on: to).allFindings == [])
    for store in writers + [store] { try await store.close() }
    for home in [from, to] { await home.close() }
  }

  @Test func `moves the relay of a sealed space between databases, with its membership`()
    async throws
  {
    let (old, new) = (
      try await RelayHome.database("sealed_old"), try await RelayHome.database("sealed_new")
    )
    let team = try SealedMembers()
    let (one, two) = (try await HostProcess(old), try await HostProcess(new))
    let ana = try await team.founder("ana", at: one)
    let ben = try await team.join("ben", at: one, invitedBy: ana, at: one)
    try await ben.create("Hat", id: "1", ["color": "red"])
    try await ben.sync(with: team.space(at: one))
    let moved = try await HostProcess.varve("home", "move", old, new, "--space", team.name)
    #expect(moved.contains("1 commit moved"), "\(moved)")
    #expect(try await one.get("/v1/spaces/\(team.name)", at: "latest").status == 410)
    let eve = try await team.join("eve", at: two, invitedBy: ana, at: two)
    #expect(try await eve.entity("1") != nil)
    try await eve.create("Hat", id: "2", ["color": "red"])
    for store in [eve, ben] { try await store.sync(with: team.space(at: two)) }
    #expect(try await ben.entity("2") != nil)
    for url in [old, new] {
      let home = try await PostgresHome(url)
      #expect(try await HomeCheck.run(on: home).allFindings == [])
      await home.close()
    }
    for store in [ana, ben, eve] { try await store.close() }
    for host in [one, two] { try await host.end() }
  }

  @Test func `moves the relay of a sealed space from a file and back, and one at a time orders`()
    async throws
  {
    let (url, scratch) = (try await RelayHome.database("sealed_to_file"), try Scratch())
    let team = try SealedMembers()
    let (file, back) = (scratch.path("team.varve"), scratch.path("back.varve"))
    var configuration = Store.Configuration()
    configuration.seal = try .relay()
    let ana = try await team.store("ana")
    _ = try await ana.sealSpace()
    let relay = try await Store.open(file, configuration: configuration)
    try await ana.sync(with: relay)
    try await ana.create("Hat", id: "1", ["color": "red"])
    try await ana.sync(with: relay)
    try await relay.close()
    let moved = try await HostProcess.varve("home", "move", file, url, "--space", team.name)
    #expect(moved.contains("1 commit moved"), "\(moved)")
    let host = try await HostProcess(url)
    let ben = try await team.join("ben", at: host, invitedBy: ana, at: host)
    try await ben.create("Hat", id: "2", ["color": "red"])
    try await ben.sync(with: team.space(at: host))
    // The file is an index by now, which orders nothing.
    let left = try await Store.open(file, configuration: configuration)
    await expectFailure(.unsupported) { try await ana.sync(with: left) }
    try await left.close()
    let again = try await HostProcess.varve("home", "move", file, url, "--space", team.name)
    #expect(again.contains("a membership that the file lacks"), "\(again)")
    let refused = try await HostProcess.varve("home", "move", url, file, "--space", team.name)
    #expect(refused.contains("there is a file already"), "\(refused)")
    let returned = try await HostProcess.varve("home", "move", url, back, "--space", team.name)
    #expect(returned.contains("2 commits moved"), "\(returned)")
    #expect(try await host.get("/v1/spaces/\(team.name)", at: "latest").status == 410)
    let other = try await Store.open(back, configuration: configuration)
    try await ana.sync(with: other)
    #expect(try await ana.entity("2") != nil)
    let device = try #require(try await ben.members().first { $0.isThisDevice })
    try await ana.removeMember(device.id)
    try await ana.sync(with: other)
    #expect(try await ana.membership().pendingChangeCount == 0)
    let (held, own) = (try await other.entries, try await ana.entries)
    #expect(held == own)
    #expect(try await other.check().findings == [])
    for store in [ana, ben, other] { try await store.close() }
    try await host.end()
  }

  @Test func `copies no member's store of a sealed space to a database`() async throws {
    let (url, scratch) = (try await PostgresCluster.url(), try Scratch())
    let (file, keys) = (scratch.path("team.varve"), scratch.path("keys"))
    _ = try await HostProcess.varve("space", "seal", file, "--keys", keys)
    let name = "\(SpaceID.random())"
    let refused = try await HostProcess.output(of: [
      "VARVE_KEYS=\(keys)", HostProcess.executable, "home", "move", file, url, "--space", name,
    ])
    #expect(refused.contains("a home keeps relays only"), "\(refused)")
    let home = try await PostgresHome(url)
    #expect(try await !home.spaceNames().contains(name))
    await home.close()
  }

  /// Creates a home in a database of its own.
  @Test func `between databases refuses one database under two addresses, and the space stays`()
    async throws
  {
    let url = try await database("moved_to_itself")
    let home = try await PostgresHome(url)
    let store = try await Store.open(.space("hats", at: home, index: .inMemory))
    for number in 0..<3 { try await store.create("Hat", id: EntityID("\(number)")) }
    let frontier = try await store.frontier()
    try await store.close()
    let spelled = url.replacing("varve@/", with: "/") + "&user=varve"
    for other in [url, "\(url)&application_name=another", spelled] {
      let refused = try await HostProcess.varve("home", "move", url, other, "--space", "hats")
      #expect(refused.contains("both addresses are of one database"), "\(refused)")
    }
    let again = try await Store.open(.space("hats", at: home, index: .inMemory))
    #expect(try await again.frontier() == frontier)
    #expect(try await again.check().findings == [])
    #expect(try await home.notes("receipt") == [])
    try await again.close()
    await home.close()
  }

  @Test
  func `makes no space whose name no host serves, or which differs from another in case only`()
    async throws
  {
    let (url, scratch) = (try await database("moved_names"), try Scratch())
    let file = scratch.path("hats.varve")
    let source = try await Store.open(.file(file))
    try await source.create("Hat", id: "hat")
    try await source.close()
    let home = try await PostgresHome(url)
    _ = try await home.create("Hats")
    let long = String(repeating: "x", count: 101)
    for name in ["../x", "A B", "é", "", long, ".x", "x.", "a..b", "hats"] {
      let refused = try await HostProcess.varve("home", "move", file, url, "--space", name)
      let reason = name == "hats" ? "differs in case only" : "cannot have the name"
      #expect(refused.contains(reason), "\(refused)")
    }
    #expect(try await home.spaceNames() == ["Hats"])
    await home.close()
  }

  private func database(_ name: String) async throws -> String {
    let cluster = try await PostgresCluster.shared.value
    let administration = try await PostgresHome(cluster.url)
    try await administration.administer(outside: "CREATE DATABASE \(name) TEMPLATE template0")
    await administration.close()
    let url = cluster.url.replacing("/varve?", with: "/\(name)?")
    try await PostgresHome.prepare(url)
    return url
  }
}
#endif
