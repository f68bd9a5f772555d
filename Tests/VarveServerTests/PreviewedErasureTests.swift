#if CommandLine && Server
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// `If-Match` of writes that end or begin lives: they reach no further than at the named state.
@Suite struct PreviewedErasureTests {
  private static let operations = "/v1/spaces/hats/operations"

  /// A shop owns two hats, of which a box owns one too; the box belongs to a room.
  private static let creations = [
    #"{"op":"create","type":"Shop","id":"shop"}"#, #"{"op":"create","type":"Room","id":"room"}"#,
    #"{"op":"create","type":"Box","id":"box"}"#, #"{"op":"create","type":"Hat","id":"both"}"#,
    #"{"op":"create","type":"Hat","id":"own"}"#, #"{"op":"create","type":"Hat","id":"free"}"#,
    #"{"op":"relate","from":"room","kind":"owns","to":"box"}"#,
    #"{"op":"relate","from":"box","kind":"owns","to":"both"}"#,
    #"{"op":"relate","from":"shop","kind":"owns","to":"both"}"#,
    #"{"op":"relate","from":"shop","kind":"owns","to":"own"}"#,
  ]

  private func withShop(
    _ body: (Served, _ basis: () async throws -> [String: String]) async throws -> Void
  ) async throws {
    try await Served.with { server in
      try await server.create()
      for creation in Self.creations { try await server.run(creation) }
      try await body(server) {
        ["If-Match": try #require(try await server.get("/v1/spaces/hats").headers["etag"])]
      }
    }
  }

  private func erase(_ server: Served, _ headers: [String: String]) async throws -> Reply {
    let shop = #"{"op":"erase","ids":["shop"]}"#
    return try await server.send("POST", Self.operations, shop, headers: headers)
  }

  @Test(arguments: [
    #"{"op":"erase","ids":["box"]}"#,
    #"{"op":"erase","ids":["room"]}"#,
    #"{"op":"unrelate","from":"box","kind":"owns","to":"both"}"#,
    #"{"op":"relate","from":"shop","kind":"owns","to":"free"}"#,
    #"{"op":"unrelate","from":"shop","kind":"owns","to":"own"}"#,
    #"{"op":"relate","from":"box","kind":"owns","to":"own"}"#,
    #"{"op":"set","id":"own","set":{"size":7}}"#,
  ])
  func `an erasure is refused if others changed what it would end`(change: String) async throws {
    try await withShop { server, basis in
      let before = try await basis()
      try await server.run(change)
      let reply = try await erase(server, before)
      #expect(reply.status == 412, "\(reply)")
      let status = try await server.run(#"{"op":"status","id":"shop"}"#)
      #expect(status["status"] == "live")
      let again = try await erase(server, try await basis())
      #expect(again.status == 200, "\(again)")
    }
  }

  @Test(arguments: [
    #"{"op":"erase","ids":["free"]}"#,
    #"{"op":"relate","from":"box","kind":"owns","to":"free"}"#,
    #"{"op":"relate","from":"box","kind":"free","to":"both"}"#,
    #"{"op":"set","id":"both","set":{"size":7}}"#,
    #"{"op":"create","type":"Shop","id":"other"}"#,
  ])
  func `an erasure takes no notice of what it does not depend on`(change: String) async throws {
    try await withShop { server, basis in
      let before = try await basis()
      try await server.run(change)
      let reply = try await erase(server, before)
      #expect(reply.status == 200, "\(reply)")
    }
  }

  @Test func `a restore is refused if it would bring back more than before`() async throws {
    try await withShop { server, basis in
      try await server.run(#"{"op":"erase","ids":["shop"]}"#)
      let before = try await basis()
      // Now the hat of both is dead too, and would come back with the shop.
      try await server.run(#"{"op":"erase","ids":["room"]}"#)
      let restore = #"{"op":"restore","id":"shop"}"#
      let reply = try await server.send("POST", Self.operations, restore, headers: before)
      #expect(reply.status == 412, "\(reply)")
      let now = try await basis()
      #expect(
        try await server.send("POST", Self.operations, restore, headers: now).status == 200
      )
    }
  }

  @Test func `a creation does not depend on the owners of its owner`() async throws {
    try await withShop { server, basis in
      let before = try await basis()
      try await server.run(#"{"op":"relate","from":"shop","kind":"owns","to":"room"}"#)
      let create = #"""
        {"op":"transaction","operations":[{"op":"create","type":"Hat","id":"new"},
        {"op":"relate","from":"box","kind":"owns","to":"new"}]}
        """#
      let reply = try await server.send("POST", Self.operations, create, headers: before)
      #expect(reply.status == 200, "\(reply)")
    }
  }
}
#endif
