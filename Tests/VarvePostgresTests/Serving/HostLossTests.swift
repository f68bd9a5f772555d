#if CommandLine && Server
import Foundation
import Testing
import VarveCore
import VarvePostgres
import VarveTestSupport

@Suite(
  "A host of a PostgreSQL",
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct HostLossTests {
  /// A space name that no other test has.
  private let name = "\(SpaceID.random())"

  private var path: String { "/v1/spaces/\(name)" }

  @Test
  func `that is killed loses nothing it acknowledged, and goes on with its indexes or without`()
    async throws
  {
    let scratch = try Scratch()
    let cache = scratch.path("indexes")
    let (other, host) = (try await HostProcess(), try await HostProcess(cache: cache))
    _ = try await host.send("PUT", path)
    try await host.run(#"{"op":"create","type":"Hat","id":"hat-1"}"#, in: name)
    try await host.end()
    try await other.run(#"{"op":"create","type":"Hat","id":"hat-2"}"#, in: name)
    let again = try await HostProcess(cache: cache)
    for id in ["hat-1", "hat-2"] {
      #expect(try await again.get("\(path)/entities/\(id)").status == 200)
    }
    try await again.end()
    try FileManager.default.removeItem(atPath: cache)
    let fresh = try await HostProcess(cache: cache)
    #expect(try await fresh.get("\(path)/types").text.contains(#""count":2"#))
  }

  @Test func `a host of a PostgreSQL has its folder of indexes for itself`() async throws {
    let host = try await HostProcess()
    let failure = await #expect(throws: TrialFailure.self) {
      _ = try await HostProcess(cache: host.cache)
    }
    #expect("\(failure.map { "\($0)" } ?? "")".contains("another process uses the folder"))
  }

  @Test func `a host of a PostgreSQL makes an index that cannot be read anew`() async throws {
    let scratch = try Scratch()
    let cache = scratch.path("indexes")
    let host = try await HostProcess(cache: cache)
    _ = try await host.send("PUT", path)
    try await host.run(#"{"op":"create","type":"Hat","id":"hat"}"#, in: name)
    try await host.end()
    for file in try FileManager.default.contentsOfDirectory(atPath: cache) {
      guard file.contains(".varve") else { continue }
      let place = URL(fileURLWithPath: "\(cache)/\(file)")
      try Data(repeating: 0x5A, count: 5_000).write(to: place)
    }
    let again = try await HostProcess(cache: cache)
    #expect(try await again.get("\(path)/entities/hat").status == 200)
  }

  @Test
  func `says that the home is away, goes on to reply to reads, and comes back with the home`()
    async throws
  {
    let cluster = try await PostgresCluster()
    let host = try await HostProcess(cluster.url)
    _ = try await host.send("PUT", path)
    try await host.run(#"{"op":"create","type":"Hat","id":"hat"}"#, in: name)
    #expect(try await host.get("/readyz").text.contains(#""home":"there""#))
    try await cluster.stop()
    while try await host.get("/readyz").status != 503 {}
    #expect(try await host.get("/readyz").text.contains(#""home":"away""#))
    #expect(try await host.get("/healthz").status == 200)
    #expect(try await host.get("/metrics").text.contains("varve_home_reachable 0"))
    #expect(try await host.get("\(path)/entities/hat").status == 200)
    let refused = try await host.run(#"{"op":"create","type":"Hat"}"#, in: name)
    #expect(refused.status == 503, "\(refused.text)")
    #expect(refused.headers["retry-after"] != nil)
    #expect(try await host.get("\(path)/entities/hat", at: "latest").status == 503)
    try await cluster.start()
    while try await host.get("/readyz").status != 200 {}
    #expect(try await host.run(#"{"op":"create","type":"Hat"}"#, in: name).status == 200)
  }

  @Test func `removes the indexes that were not used for the longest time, and makes them anew`()
    async throws
  {
    let host = try await HostProcess(nil, ["--open", "--cache-limit", "1"])
    let text = String(repeating: "varve ", count: 300)
    let names = (0..<4).map { "\(name)-\($0)" }
    for name in names {
      _ = try await host.send("PUT", "/v1/spaces/\(name)")
      let ids = (0..<40).map {
        #"{"op":"create","type":"Hat","set":{"n":\#($0),"text":"\#($0) \#(text)"}}"#
      }
      let operation = #"{"op":"transaction","operations":[\#(ids.joined(separator: ","))]}"#
      for _ in 0..<8 { try await host.run(operation, in: name) }
    }
    func count() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: host.cache)
        .filter { $0.hasSuffix(".varve") }.count
    }
    while try count() > 2 { _ = try await host.get("/healthz") }
    for name in names {
      let types = try await host.get("/v1/spaces/\(name)/types")
      #expect(types.text.contains(#""count":320"#), "\(types.text)")
    }
  }

  @Test func `fetches the index of another host, and applies what came later`() async throws {
    let one = try await HostProcess()
    _ = try await one.send("PUT", path)
    try await one.run(#"{"op":"create","type":"Hat","id":"hat-1"}"#, in: name)
    let two = try await HostProcess(nil, ["--open", "--indexes-from", one.address])
    #expect(try await two.get("\(path)/entities/hat-1").status == 200)
    #expect(try await one.get("/metrics").text.contains("backup"))
    try await two.run(#"{"op":"create","type":"Hat","id":"hat-2"}"#, in: name)
    #expect(try await one.get("\(path)/entities/hat-2", at: "latest").status == 200)
    // A host that is not there only costs the time to notice it.
    let three = try await HostProcess(nil, ["--open", "--indexes-from", "http://127.0.0.1:1"])
    #expect(try await three.get("\(path)/types").text.contains(#""count":2"#))
  }

  @Test(arguments: ["another store", "a copy that went its own way", "a purged copy"])
  func `takes nothing from a server that keeps another space of the name`(other: String)
    async throws
  {
    let scratch = try Scratch()
    let folder = scratch.path("stores")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let host = try await HostProcess()
    _ = try await host.send("PUT", path)
    try await host.run(#"{"op":"create","type":"Hat","id":"hat","set":{"color":"red"}}"#, in: name)
    let file = "\(folder)/\(name).varve"
    if other != "another store" {
      let backup = "\(host.address)\(path)/backup"
      _ = try await HostProcess.output(of: ["curl", "-s", "-f", "-o", file, backup])
    }
    let foreign = try await HostProcess(folder: folder)
    _ = try await foreign.send("PUT", path)
    switch other {
    case "a purged copy":
      #expect(try await foreign.run(#"{"op":"purge","ids":["hat"]}"#, in: name).status == 200)
    default:
      try await foreign.run(#"{"op":"create","type":"Cap","id":"cap"}"#, in: name)
    }
    let new = try await HostProcess(nil, ["--open", "--indexes-from", foreign.address])
    for one in [new, host] {
      let hat = try await one.get("\(path)/entities/hat", at: "latest")
      #expect(hat.text.contains("red"), "\(hat.text)")
      #expect(try await one.get("\(path)/entities/cap", at: "latest").status == 404)
    }
  }
}
#endif
