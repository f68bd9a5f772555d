#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

@Suite struct ReadingTests {
  private static let base = "/v1/spaces/hats"

  private func withHats(_ body: (Served) async throws -> Void) async throws {
    try await Served.with { server in
      try await server.create()
      for number in 1...5 {
        let hat = #""type":"Hat","id":"h\#(number)","set":{"size":\#(number)}"#
        try await server.run(#"{"op":"create",\#(hat),"at":"2018-01-01"}"#)
      }
      try await server.run(#"{"op":"set","id":"h1","set":{"size":10},"at":"2020-01-01"}"#)
      try await body(server)
    }
  }

  private func ids(_ page: JSON) -> [String] {
    guard case .array(let items)? = page["items"] else { return [] }
    return items.compactMap { string($0["id"]) }
  }

  @Test func `an entity is read now and as it was`() async throws {
    try await withHats { server in
      let now = try await server.get("\(Self.base)/entities/h1").json
      #expect(now["properties"]?["size"] == 10)
      #expect(now["relations"]?["owns"] == [])
      let then = try await server.get("\(Self.base)/entities/h1?asOf=2019-01-01").json
      #expect(then["properties"]?["size"] == 1)
      let history = try await server.get("\(Self.base)/entities/h1/history?key=size").json
      guard case .array(let versions)? = history["items"] else { return }
      #expect(versions.map { $0["value"] } == [10, 1])
      #expect(try await server.get("\(Self.base)/entities/none").status == 404)
    }
  }

  @Test(arguments: ["\u{FEFF}x", "a/b?c#d", "100%", "e\u{301}", "a+b", "🏳️‍🌈", " "])
  func `an identifier in the path is that of the entity, character by character`(
    id: String
  ) async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","id":"x"}"#)
      try await server.run(#"{"op":"create","type":"Hat","id":\#(JSON.string(id).text)}"#)
      let part = try #require(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      let found = try await server.get("\(Self.base)/entities/\(part)").json
      #expect(string(found["id"]).map { Array($0.utf8) } == Array(id.utf8))
    }
  }

  @Test(arguments: ["%", "%4", "%zz", "%FF", "h1%C3"])
  func `a part of the path that is no text is refused`(part: String) async throws {
    try await withHats { server in
      let reply = try await server.get("\(Self.base)/entities/\(part)")
      #expect(reply.status == 400, "\(reply)")
    }
  }

  @Test func `conditions and an order select entities`() async throws {
    try await withHats { server in
      let condition = #"{"size":{">":2}}"#
        .addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      let page = try await server.get(
        "\(Self.base)/types/Hat?where=\(condition ?? "")&order=-size"
      ).json
      #expect(ids(page) == ["h1", "h5", "h4", "h3"])
    }
  }

  @Test func `pages fit together while others write`() async throws {
    try await withHats { server in
      var found: [String] = []
      var path = "\(Self.base)/types/Hat?limit=2"
      while true {
        let page = try await server.get(path).json
        found += ids(page)
        guard let next = string(page["next"]) else { break }
        path = "\(Self.base)/types/Hat?limit=2&cursor=\(next)"
        try await server.run(#"{"op":"erase","ids":["\#(found[0])"]}"#)
        try await server.run(#"{"op":"restore","id":"\#(found[0])"}"#)
        try await server.run(#"{"op":"create","type":"Hat","id":"new\#(found.count)"}"#)
      }
      #expect(found == ["h1", "h2", "h3", "h4", "h5"])
    }
  }

  @Test(arguments: [
    "types/Cap?limit=2&order=-size", "types/Hat?limit=2&order=size", "types/Hat?limit=2",
    "types/Hat?limit=2&order=-size&where=%7B%22size%22%3A1%7D",
    "types/Hat?limit=2&order=-size&asOf=2020-01-01", "log?limit=2",
  ])
  func `a cursor continues no other list, and none that was altered`(other: String) async throws {
    try await withHats { server in
      let path = "\(Self.base)/types/Hat?limit=2&order=-size"
      let next = try #require(string(try await server.get(path).json["next"]))
      #expect(try await server.get("\(path)&cursor=\(next)").status == 200)
      let altered = String(next.dropLast(4)) + (next.hasSuffix("AAAA") ? "BBBB" : "AAAA")
      for wrong in [
        "\(Self.base)/\(other)&cursor=\(next)", "\(path)&cursor=AAAA", "\(path)&cursor=\(altered)",
      ] {
        let reply = try await server.get(wrong)
        #expect(reply.status == 400, "\(wrong): \(reply)")
      }
    }
  }

  @Test func `the log is read page by page, newest first`() async throws {
    try await withHats { server in
      let first = try await server.get("\(Self.base)/log?limit=4").json
      let next = try #require(string(first["next"]))
      try await server.run(#"{"op":"create","type":"Hat","id":"late"}"#)
      let second = try await server.get("\(Self.base)/log?limit=4&cursor=\(next)").json
      guard case .array(let newer)? = first["items"], case .array(let older)? = second["items"]
      else { return }
      #expect((newer + older).map { $0["sequence"] } == [6, 5, 4, 3, 2, 1])
    }
  }

  @Test func `differences, conflicts and issues are read`() async throws {
    try await withHats { server in
      let diff = try await server.get("\(Self.base)/diff?from=2019-01-01").json
      guard case .array(let changed)? = diff["changed"] else { return }
      #expect(changed.map { $0["id"] } == ["h1"])
      #expect(try await server.get("\(Self.base)/conflicts").json["items"] == [])
      try await server.run(#"{"op":"set","id":"h2","set":{"size":10}}"#)
      let issues = try await server.get("\(Self.base)/issues?unique=Hat.size").json
      guard case .array(let items)? = issues["items"] else { return }
      #expect(items.map { $0["kind"] } == ["duplicate"])
    }
  }

  @Test func `a state that has not changed is not sent again, and one that has is`() async throws {
    try await withHats { server in
      let path = "\(Self.base)/entities/h1"
      let first = try await server.get(path)
      let tag = try #require(first.headers["etag"])
      #expect(first.headers["cache-control"] == "private, no-cache")
      let again = try await server.get(path, headers: ["If-None-Match": tag])
      #expect(again.status == 304)
      #expect(again.body.isEmpty)
      try await server.run(#"{"op":"purge","ids":["h1"]}"#)
      let purged = try await server.get(path, headers: ["If-None-Match": tag])
      #expect(purged.status == 404)
    }
  }
}
#endif
