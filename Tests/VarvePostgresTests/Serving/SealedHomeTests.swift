#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveJSON
import VarvePostgres
import VarveSealed
import VarveStore
import VarveTestSupport

/// Hosts of one PostgreSQL that keep sealed spaces for their members.
@Suite(
  "A relay in PostgreSQL",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct SealedHomeTests {
  private let team: SealedMembers

  init() throws { team = try SealedMembers() }

  /// Two hosts that the tests share. They stay as they are.
  private static let shared = Task {
    (try await HostProcess(nil, few), try await HostProcess(nil, few))
  }

  /// The options of a host that leaves connections to the other tests.
  private static let few = ["--open", "--connections", "4"]

  private func hosts() async throws -> (HostProcess, HostProcess) { try await Self.shared.value }

  /// The records that the home has of a space, in order.
  private func records(of space: SpaceID) async throws -> [SealedRecord] {
    let home = try await PostgresHome(PostgresCluster.url())
    var records: [SealedRecord] = []
    _ = try await home.log(of: space).arrivals(after: nil) { part in
      if case .record(let bytes) = part { records.append(try SealedRecord(encoded: bytes)) }
    }
    await home.close()
    return records
  }

  private func entries(of space: SpaceID) async throws -> [[UInt8]] {
    var entries: [[UInt8]] = []
    for record in try await records(of: space) {
      switch record {
      case .entry(let entry): entries.append(entry)
      case .cut(let count): entries.removeLast(entries.count - Int(count))
      default: break
      }
    }
    return entries
  }

  @Test func `lets members of different hosts join, read and write`() async throws {
    let (one, two) = try await hosts()
    let ana = try await team.founder("ana", at: one)
    let ben = try await team.join("ben", at: two, invitedBy: ana, at: one)
    #expect(try await ben.membership().role == .writer)
    #expect(try await !ana.membership().isHome)
    try await ben.create("Hat", id: "h", ["color": "vermilion"])
    try await ben.sync(with: team.space(at: two))
    try await ana.sync(with: team.space(at: one))
    #expect(try await ana.require("h")["color"] == "vermilion")
    try await ana.set("h", "color", "ultramarine")
    try await ana.sync(with: team.space(at: one))
    try await ben.sync(with: team.space(at: two))
    #expect(try await ben.require("h")["color"] == "ultramarine")
    #expect(try await ben.signatures().signature(of: ana.log()[0].id).standing == .signed)
    for host in [one, two] {
      let shown = try JSONReader.read(
        try await host.get("/v1/spaces/\(team.name)", at: "latest").text
      )
      #expect(shown["commits"] == 2)
      #expect(try await shown["id"] == .string(ana.sealedSpace.text))
    }
    #expect(try await entries(of: ana.sealedSpace) == ana.entries)
    try await ana.close()
    try await ben.close()
  }

  @Test func `has nothing that can be read, in any table and in any index`() async throws {
    let (one, two) = try await hosts()
    let word = "vermilion\(SpaceID.random().text.prefix(8))"
    let ana = try await team.founder("ana", at: one)
    let ben = try await team.join("ben", at: two, invitedBy: ana, at: one)
    try await ben.create("Hat", id: "h", ["color": .string(word)])
    try await ben.sync(with: team.space(at: two))
    try await ana.sync(with: team.space(at: one))
    #expect(try await ana.require("h")["color"] == .string(word))
    #expect(try await tablesWith(word) == [])
    #expect(try indexesWith(word, at: [one, two]) == [])
    // What is not sealed would be found.
    let open = "\(team.name)-open"
    _ = try await one.send("PUT", "/v1/spaces/\(open)")
    let create = #"{"op":"create","type":"Hat","set":{"color":"\#(word)"}}"#
    #expect(try await one.run(create, in: open).status == 200)
    #expect(try await tablesWith(word) == ["blocks"])
    #expect(try indexesWith(word, at: [one, two]).count == 1)
    try await ana.close()
    try await ben.close()
  }

  /// Returns the tables that contain a word in any column.
  private func tablesWith(_ word: String) async throws -> [String] {
    let home = try await PostgresHome(PostgresCluster.url())
    let hex = word.utf8.map { String($0, radix: 16) }.joined()
    var tables: [String] = []
    for table in CheckedHome.tables {
      let count = try await home.administer([
        """
        SELECT count(*) FROM varve.\(table) AS whole
        WHERE strpos(whole::text, '\(word)') > 0 OR strpos(whole::text, '\(hex)') > 0
        """
      ])
      if count != 0 { tables.append(table) }
    }
    await home.close()
    return tables
  }

  /// Returns the indexes, with their files beside them, that contain a word.
  private func indexesWith(_ word: String, at hosts: [HostProcess]) throws -> Set<String> {
    var indexes: Set<String> = []
    for host in hosts {
      for file in try FileManager.default.contentsOfDirectory(atPath: host.cache) {
        let bytes = FileManager.default.contents(atPath: "\(host.cache)/\(file)") ?? Data()
        guard bytes.range(of: Data(word.utf8)) != nil else { continue }
        indexes.insert("\(host.cache)/\(file.split(separator: ".")[0])")
      }
    }
    return indexes
  }

  @Test func `makes void what a member writes who was removed at the other host`() async throws {
    let (one, two) = try await hosts()
    let ana = try await team.founder("ana", at: one)
    let ben = try await team.join("ben", at: two, invitedBy: ana, at: one)
    let eve = try await team.join("eve", at: one, invitedBy: ana, at: two, as: .reader)
    try await ben.create("Hat", id: "early", ["color": "red"])
    try await ben.sync(with: team.space(at: two))
    try await ana.sync(with: team.space(at: one))
    let device = try #require(try await ben.members().first { $0.isThisDevice })
    try await ana.removeMember(device.id)
    try await ana.sync(with: team.space(at: one))
    try await ana.create("Hat", id: "secret", ["color": "grey"])
    try await ana.sync(with: team.space(at: one))
    try await ben.create("Hat", id: "late", ["color": "grey"])
    try await ben.sync(with: team.space(at: two))
    for (store, host) in [(ana, one), (eve, two)] {
      try await store.sync(with: team.space(at: host))
      #expect(try await store.entity("early") != nil)
      #expect(try await store.entity("secret") != nil)
      #expect(try await store.entity("late") == nil)
      #expect(try await store.uncountedCommits().map(\.isVoid) == [true])
    }
    #expect(try await ben.entity("secret") == nil)
    for store in [ana, ben, eve] { try await store.close() }
  }

  @Test(.timeLimit(.minutes(5)))
  func `orders what is proposed at two hosts at once, each entry once`() async throws {
    let (one, two) = try await hosts()
    let ana = try await team.founder("ana", at: one)
    var admins = [(ana, one)]
    for (number, host) in [two, one, two].enumerated() {
      let admin = try await team.join(
        "admin \(number)",
        at: host,
        invitedBy: ana,
        at: one,
        as: .admin
      )
      admins.append((admin, host))
    }
    let before = try await entries(of: ana.sealedSpace).count
    let rounds = 6
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (store, host) in admins {
        let space = try team.space(at: host)
        group.addTask {
          for _ in 0..<rounds {
            try await store.rotateEpoch()
            try await store.sync(with: space)
          }
        }
      }
      try await group.waitForAll()
    }
    while true {
      for (store, host) in admins { try await store.sync(with: team.space(at: host)) }
      var isPending = false
      for (store, _) in admins {
        isPending = try await store.membership().pendingChangeCount > 0 || isPending
      }
      if !isPending { break }
    }
    for (store, host) in admins { try await store.sync(with: team.space(at: host)) }
    let ordered = try await entries(of: ana.sealedSpace)
    #expect(ordered.count > before + rounds)
    #expect(Set(ordered).count == ordered.count)
    // Every member verifies that each entry follows the one before.
    for (store, _) in admins { #expect(try await store.entries == ordered) }
    let (last, host) = admins[2]
    try await last.create("Hat", id: "h", ["color": "red"])
    try await last.sync(with: team.space(at: host))
    try await ana.sync(with: team.space(at: one))
    #expect(try await ana.entity("h") != nil)
    for (store, _) in admins { try await store.close() }
  }

  @Test func `is made anew from the home by a host that restarts, with its index or without`()
    async throws
  {
    let scratch = try Scratch()
    let cache = scratch.path("indexes")
    var host = try await HostProcess(cache: cache, Self.few)
    let ana = try await team.founder("ana", at: host)
    var ben = try await team.join("ben", at: host, invitedBy: ana, at: host)
    try await ben.create("Hat", id: "0", ["color": "red"])
    try await ben.sync(with: team.space(at: host))
    for (number, isLost) in [(1, false), (2, true)] {
      try await host.end()
      let index = try await "\(cache)/\(ana.sealedSpace.text).varve"
      #expect(FileManager.default.fileExists(atPath: index))
      if isLost {
        for file in StoreFileNames.all(of: index) {
          try? FileManager.default.removeItem(atPath: file)
        }
      }
      host = try await HostProcess(cache: cache, Self.few)
      // A request to join waits at the home as well.
      let next = try await team.join("new \(number)", at: host, invitedBy: ana, at: host)
      try await next.create("Hat", id: EntityID("\(number)"), ["color": "red"])
      try await next.sync(with: team.space(at: host))
      try await ana.sync(with: team.space(at: host))
      for id in 0...number { #expect(try await ana.entity(EntityID("\(id)")) != nil) }
      try await ben.close()
      ben = next
    }
    #expect(try await entries(of: ana.sealedSpace) == ana.entries)
    try await ana.close()
    try await ben.close()
    try await host.end()
  }

  @Test func `takes a membership that has joined its own branch, and every host follows`()
    async throws
  {
    let (one, two) = try await hosts()
    let (ana, key) = try await team.foundation(by: "ana", at: one)
    let ben = try await team.join("ben", at: two, invitedBy: ana, at: one, as: .admin)
    try await ana.sync(with: team.space(at: one))
    // Another relay orders the membership too, as one that was restored from a copy.
    var configuration = Store.Configuration()
    configuration.seal = try .relay()
    let other = try await Store.open(.inMemory, configuration: configuration)
    try await other.sync(with: team.space(at: one))
    try await other.sharedLog().atDesk { try $0.setHome(true) }
    try await ben.rotateEpoch()
    try await ben.sync(with: other)
    try await ana.rotateEpoch()
    try await ana.sync(with: team.space(at: one))
    let refusal = await #expect(throws: VarveError.self) {
      try await ben.sync(with: team.space(at: two))
    }
    #expect(refusal?.code == .readOnly)
    try await ben.joinBranch(of: ana, recoveryKey: key)
    for (store, host) in [(ben, two), (ana, one), (ben, one), (ana, two)] {
      try await store.sync(with: team.space(at: host))
    }
    #expect(try await ana.entries == ben.entries)
    #expect(try await entries(of: ana.sealedSpace) == ana.entries)
    try await ben.create("Hat", id: "h")
    try await ben.sync(with: team.space(at: two))
    try await ana.sync(with: team.space(at: one))
    #expect(try await ana.entity("h") != nil)
    // A new index has all of it.
    let new = try await HostProcess(nil, Self.few)
    #expect(try await new.get("/v1/spaces/\(team.name)", at: "latest").status == 200)
    try await ana.sync(with: team.space(at: new))
    #expect(try await entries(of: ana.sealedSpace) == ana.entries)
    for store in [ana, ben, other] { try await store.close() }
  }

  @Test func `keeps at the home what waits between two requests`() async throws {
    let (one, two) = try await hosts()
    let ana = try await team.founder("ana", at: one)
    let ben = try await team.store("ben")
    try await ben.join(try await ana.invite(.writer))
    try await ben.sync(with: team.space(at: two))
    let space = try await ana.sealedSpace
    let waiting = try await records(of: space)
    #expect(waiting.contains { if case .letter(.request, _, _) = $0 { true } else { false } })
    // What was sent before is recorded once, however often it is sent.
    for _ in 0..<3 { try await ben.sync(with: team.space(at: one)) }
    #expect(try await records(of: space) == waiting)
    try await ana.sync(with: team.space(at: one))
    for _ in 0..<3 {
      try await ben.sync(with: team.space(at: two))
      try await ana.sync(with: team.space(at: one))
    }
    let answered = try await records(of: space)
    #expect(answered.contains { if case .removal(.request, _) = $0 { true } else { false } })
    for _ in 0..<3 {
      try await ben.sync(with: team.space(at: two))
      try await ana.sync(with: team.space(at: one))
    }
    #expect(try await records(of: space) == answered)
    try await ana.close()
    try await ben.close()
  }

  @Test func `refuses open stores, requests that need the content, and another space`()
    async throws
  {
    let (one, two) = try await hosts()
    let ana = try await team.founder("ana", at: one)
    let id = try await ana.sealedSpace
    let open = try await Store.open(.inMemory)
    try await open.create("Hat", id: "o", ["color": "red"])
    for host in [one, two] {
      await expectFailure(.newerFormat) { try await open.sync(with: team.space(at: host)) }
      let read = try await host.get("/v1/spaces/\(team.name)/entities/o")
      #expect(read.status == 422 && read.text.contains("unsupported"), "\(read)")
      let written = try await host.run(#"{"op":"create","type":"Hat"}"#, in: team.name)
      #expect(written.status == 422, "\(written)")
      // It is one relay for both hosts, and of one space.
      #expect(try await RemoteServer(host.address).createRelay(team.name, of: id).id == id.text)
      await expectFailure(.duplicateIdentifier) {
        try await RemoteServer(host.address).createRelay(team.name, of: .random())
      }
      await expectFailure(.duplicateIdentifier) {
        try await RemoteServer(host.address).createRelay("\(team.name)-again", of: id)
      }
    }
    #expect(try await open.log().count == 1)
    // Another space does not take over a relay that waits for its first membership.
    try await RemoteServer(one.address).createRelay("\(team.name)-other", of: .random())
    let other = RemoteSpace("\(two.address)/\(team.name)-other")
    await expectFailure(.forbidden) { try await ana.sync(with: other) }
    try await RemoteServer(one.address).createSpace("\(team.name)-open")
    let plain = RemoteSpace("\(two.address)/\(team.name)-open")
    await expectFailure(.unsupported) { try await ana.sync(with: plain) }
    try await open.close()
    try await ana.close()
  }

  @Test func `announces at one host what a member hands over at the other`() async throws {
    let (one, two) = try await hosts()
    let ana = try await team.founder("ana", at: one)
    let ben = try await team.join("ben", at: two, invitedBy: ana, at: one)
    let replicator = Replicator(ben, with: try team.space(at: two))
    let task = Task { try await replicator.run() }
    for await status in replicator.statuses where status.state == .live { break }
    try await ana.create("Hat", id: "h", ["color": "red"])
    try await ana.sync(with: team.space(at: one))
    // Without an announcement it would be a minute.
    let start = ContinuousClock.now
    for try await isThere in try await ben.observe(["Hat"], { try await $0.entity("h") != nil })
    where isThere { break }
    #expect(ContinuousClock.now - start < .seconds(30))
    task.cancel()
    try await ana.close()
    try await ben.close()
  }

  @Test func `ends with a receipt that counts the commits, and can be made again`() async throws {
    let (one, two) = try await hosts()
    let ana = try await team.founder("ana", at: one)
    let id = try await ana.sealedSpace
    try await ana.create("Hat", id: "h", ["color": "red"])
    try await ana.sync(with: team.space(at: one))
    #expect(try await two.get("/v1/spaces/\(team.name)").status == 200)
    let ended = try await one.send("DELETE", "/v1/spaces/\(team.name)?id=\(id.text)")
    #expect(ended.status == 200 && ended.text.contains(#""commits":1"#), "\(ended)")
    #expect(try await two.get("/v1/spaces/\(team.name)", at: "latest").status == 410)
    try await RemoteServer(two.address).createRelay(team.name, of: id)
    try await ana.close()
  }
}
#endif
