#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

/// Servers on small disks, which are really full.
@Suite(
  "A PostgreSQL server whose disk is full",
  .enabled(
    if: PostgresCluster.diskAbsence == nil,
    "PostgreSQL is not installed, or only root may mount a disk here"
  )
)
struct FullServerTests {
  @Test func `refuses writes as diskFull without a trace, and takes them once it has space`()
    async throws
  {
    let cluster = try await PostgresCluster(disk: .tablespace)
    let home = try await PostgresHome(cluster.url)
    try await home.administer(outside: "CREATE TABLESPACE small LOCATION '\(cluster.tablespace)'")
    try await home.administer([
      "ALTER TABLE varve.arrivals SET TABLESPACE small",
      "ALTER TABLE varve.blocks SET TABLESPACE small",
    ])
    let hosts = try await [Host(cluster), Host(cluster)]
    var full = 0
    for number in 0..<400 where full < 6 {
      if try await hosts[number % 2].write(number) == .diskFull { full += 1 }
    }
    #expect(full == 6)
    for host in hosts {
      #expect(host.outcomes.values.allSatisfy { [nil, .diskFull].contains($0) })
    }
    // A server replies with the status for it.
    let served = try await HostProcess(cluster.url)
    let text = Host.content.map { String($0, radix: 36) }.joined()
    let scratch = try Scratch()
    let operation = #"{"op":"create","type":"Hat","id":"served","set":{"text":"\#(text)"}}"#
    try Data(operation.utf8).write(to: URL(fileURLWithPath: scratch.path("operation")))
    let body = "@\(scratch.path("operation"))"
    let refused = try await served.run(body, in: "hats")
    #expect(refused.status == 507, "\(refused.text.prefix(300))")
    #expect(refused.text.contains("diskFull"))
    #expect(try await served.get("/v1/spaces/hats/entities/0").status == 200)
    #expect(try await served.get("/readyz").status == 200)
    try await expectWhole(hosts, cluster)
    try await cluster.grow()
    for (number, host) in hosts.enumerated() {
      #expect(try await host.write(1_000 + number) == nil)
    }
    #expect(try await served.run(body, in: "hats").status == 200)
    try await expectWhole(hosts, cluster)
    for host in hosts { try await host.store.close() }
  }

  @Test func `stops when it cannot write its log, and then has all that it acknowledged`()
    async throws
  {
    // Without checkpoints, the log keeps what it takes.
    let settings = ["max_wal_size=1GB", "checkpoint_timeout=1h"]
    let cluster = try await PostgresCluster(settings, disk: .data)
    let hosts = try await [Host(cluster), Host(cluster)]
    var failures = 0
    for number in 0..<200 where failures < 2 {
      if try await hosts[number % 2].write(number) != nil { failures += 1 }
    }
    #expect(failures == 2)
    // More log than the disk has space for, while a host writes.
    async let filling: Void = fillLog(of: cluster)
    for number in 200..<220 { _ = try await hosts[number % 2].write(number, size: 1_000) }
    await filling
    let log = try String(contentsOfFile: "\(cluster.folder)/log", encoding: .utf8)
    #expect(log.contains("PANIC") && log.contains("No space left on device"))
    try await cluster.stop()
    try await cluster.grow()
    try await cluster.start()
    for (number, host) in hosts.enumerated() {
      var place = 1_000 + number
      while try await host.write(place) != nil { place += 2 }
    }
    try await expectWhole(hosts, cluster)
    for host in hosts { try await host.store.close() }
  }

  /// Makes a server write 80 MB of log and nothing else, which it can do on no small disk.
  private func fillLog(of cluster: PostgresCluster) async {
    let message = "SELECT pg_logical_emit_message(false, 'full', repeat('x', 1000000))"
    let home = try? await PostgresHome(cluster.url)
    try? await home?.administer(outside: "\(message) FROM generate_series(1, 80)")
    await home?.close()
  }

  /// Expects that all hosts, and one without an index, have what was acknowledged and nothing that
  /// was refused.
  private func expectWhole(_ hosts: [Host], _ cluster: PostgresCluster) async throws {
    let fresh = try await Host(cluster)
    let outcomes = hosts.reduce(into: [:]) { $0.merge($1.outcomes) { first, _ in first } }
    let frontier = try await fresh.store.frontier()
    let ids = Set(try await fresh.store.fetch(Query("Hat")).map(\.id.text))
    for (number, code) in outcomes where code != .outcomeUnknown {
      #expect(ids.contains("\(number)") == (code == nil), "\(number): \(code as Any)")
    }
    for host in hosts + [fresh] {
      try await host.store.followHome()
      #expect(try await host.store.frontier() == frontier)
      #expect(try await host.store.check().findings == [])
    }
    let home = try await PostgresHome(cluster.url)
    #expect(try await HomeCheck.run(on: home).allFindings == [])
    await home.close()
    try await fresh.store.close()
  }

  /// A host of the space, with the outcomes of its writes.
  private final class Host {
    let store: Store
    /// The code of the error of each write; nil if it was acknowledged.
    private(set) var outcomes: [Int: VarveError.Code?] = [:]

    /// What cannot be compressed.
    static let content: [UInt8] = {
      var random = SplitMix64(seed: 7)
      return (0..<400_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    }()

    init(_ cluster: PostgresCluster) async throws {
      let home = try await PostgresHome(cluster.url)
      store = try await Store.open(.space("hats", at: home, index: .inMemory))
    }

    /// Creates an entity, in a turn of its own or in one that others may share.
    func write(_ number: Int, size: Int = content.count) async throws -> VarveError.Code? {
      let id = try EntityID("\(number)")
      let picture = Value.data(Data(Self.content.suffix(size)))
      do {
        if number % 4 < 2 {
          try await store.create("Hat", id: id, ["picture": picture])
        } else {
          try await store.write { _ = try await $0.create("Hat", id: id, ["picture": picture]) }
        }
        outcomes[number] = .some(nil)
        return nil
      } catch let error as VarveError {
        outcomes[number] = error.code
        return error.code
      }
    }
  }
}
#endif
