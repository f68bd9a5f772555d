#if CommandLine && Server
import Testing
import VarveCore
import VarvePostgres
import VarveStore
import VarveTestSupport

@Suite(
  "A host's role in the database",
  .serialized,
  .enabled(
    if: PostgresCluster.absence == nil,
    "PostgreSQL is not installed: make setup-tests does it"
  )
)
struct HostRightsTests {
  private static let cluster = Task { try await PostgresCluster() }

  /// What the guide says that a host's role needs.
  private static let grants = [
    "GRANT USAGE ON SCHEMA varve TO ROLE",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA varve TO ROLE",
  ]

  private func role(_ name: String, _ statements: [String]) async throws -> (String, PostgresHome) {
    let cluster = try await Self.cluster.value
    let owner = try await PostgresHome(cluster.url)
    try await owner.administer(
      ["CREATE ROLE \(name) LOGIN"] + statements.map { $0.replacing("ROLE", with: name) }
    )
    return (cluster.url.replacing("postgres://varve@", with: "postgres://\(name)@"), owner)
  }

  @Test func `needs no more than the guide says: every call of a host works with it`() async throws
  {
    let (url, owner) = try await role("least", Self.grants)
    let host = try await HostProcess(url)
    #expect(try await host.send("PUT", "/v1/spaces/least").status == 201)
    #expect(
      try await host.run(#"{"op":"create","type":"Hat","id":"hat"}"#, in: "least").status == 200
    )
    #expect(try await host.run(#"{"op":"purge","ids":["hat"]}"#, in: "least").status == 200)
    #expect(try await host.get("/v1/spaces/least/types", at: "latest").status == 200)
    #expect(try await host.get("/readyz").status == 200)
    let token = try await HostProcess.varve(
      "token",
      "create",
      "laptop",
      "--in",
      url,
      "--grant",
      "least=reader"
    )
    #expect(token.hasPrefix("varve_"), "\(token)")
    let restored = try await HostProcess.varve("home", "restored", url)
    #expect(restored.contains("new incarnation"), "\(restored)")
    let id = try #require(
      try await host.get("/v1/spaces/least", at: "latest").text.firstMatch(of: /"id":"([^"]+)"/)
    ).1
    #expect(try await host.send("DELETE", "/v1/spaces/least?id=\(id)").status == 200)
    try await host.end()
    await owner.close()
  }

  @Test func `that may only read makes the host not ready, and its check works`() async throws {
    let (url, owner) = try await role(
      "reading",
      ["GRANT USAGE ON SCHEMA varve TO ROLE", "GRANT SELECT ON ALL TABLES IN SCHEMA varve TO ROLE"]
    )
    _ = try await owner.create("readable")
    let host = try await HostProcess(url)
    let ready = try await host.get("/readyz")
    #expect(ready.status == 503)
    #expect(ready.text.contains(#""home":"readOnly""#), "\(ready.text)")
    #expect(try await host.get("/healthz").status == 200)
    #expect(try await host.get("/v1/spaces/readable").status == 200)
    let refused = try await host.run(#"{"op":"create","type":"Hat"}"#, in: "readable")
    #expect(refused.status == 503, "\(refused.text)")
    let check = try await HostProcess.varve("home", "check", url)
    #expect(check.contains("readable"), "\(check)")
    try await owner.administer([
      "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA varve TO reading"
    ])
    while try await host.get("/readyz").status != 200 {}
    #expect(try await host.run(#"{"op":"create","type":"Hat"}"#, in: "readable").status == 200)
    try await host.end()
    await owner.close()
  }

  @Test
  func `and the database's address are in no reply, whatever fails and whichever route is asked`()
    async throws
  {
    let cluster = try await Self.cluster.value
    let (url, owner) = try await role("secret_role", Self.grants)
    let host = try await HostProcess(url)
    #expect(try await host.send("PUT", "/v1/spaces/discreet").status == 201)
    try await host.run(#"{"op":"create","type":"Hat","id":"hat"}"#, in: "discreet")
    try await owner.administer([
      "REVOKE ALL ON varve.arrivals, varve.names, varve.spaces, varve.notes FROM secret_role"
    ])
    try await ask(host, "denied")
    try await owner.administer(Self.grants.map { $0.replacing("ROLE", with: "secret_role") })
    try await owner.administer(["ALTER ROLE secret_role NOLOGIN"])
    try await owner.administer([
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'secret_role'"
    ])
    try await ask(host, "refused")
    try await cluster.stop()
    try await ask(host, "gone")
    try await cluster.start()
    try await host.end()
    await owner.close()
  }

  private static let requests: [(method: String, path: String, body: String?)] = [
    ("GET", "", nil), ("GET", "/discreet", nil), ("PUT", "/discreet", nil), ("PUT", "/other", nil),
    ("GET", "/other", nil), ("DELETE", "/discreet?id=\(SpaceID.random())", nil),
    ("POST", "/discreet/operations", #"{"op":"create","type":"Hat"}"#),
    ("POST", "/discreet/operations", #"{"op":"query","type":"Hat"}"#),
    ("GET", "/discreet/types", nil), ("GET", "/discreet/log", nil),
    ("GET", "/discreet/commits", nil), ("POST", "/discreet/compare", "{}"),
    ("GET", "/discreet/grants", nil), ("GET", "/discreet/backup", nil),
    ("GET", "/discreet/export", nil),
  ]

  private func ask(_ host: HostProcess, _ state: String) async throws {
    var failures = 0
    for (method, path, body) in Self.requests {
      for position in [nil, "latest"] as [String?] {
        let headers = position.map { ["Varve-Position": $0] } ?? [:]
        let reply = try await host.send(method, "/v1/spaces\(path)", body, headers: headers)
        guard reply.status >= 400 else { continue }
        if reply.status >= 500 { failures += 1 }
        for secret in [
          "secret_role", "varve-postgres", "postgres:", "arrivals", "permission", "/tmp",
        ] {
          #expect(!reply.text.contains(secret), "\(state), \(method) \(path): \(reply.text)")
        }
      }
    }
    #expect(failures > 3, "\(state): \(failures) failures")
    let lines = try await host.send(
      "POST",
      "/v1/spaces/discreet/operations",
      #"{"op":"create","type":"Hat"}"#,
      headers: ["Content-Type": "application/jsonl"]
    )
    #expect(!lines.text.contains("secret_role") && !lines.text.contains("varve-postgres"))
  }
}
#endif
