#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// `GET /openapi.json`.
@Suite struct DescriptionTests {
  @Test func `every route is described and every described route exists`() throws {
    let scratch = try Scratch()
    let spaces = try SpaceDirectory(scratch.path)
    defer { withExtendedLifetime(scratch) {} }
    let actual = VarveServer(spaces, access: .open).routeNames
    let documented = VarveServer.documentedRouteNames
    // Where there is no route, a browser's question whether a page may call is replied to too.
    #expect(actual.subtracting(documented) == ["OPTIONS /v1/**"])
    #expect(documented.subtracting(actual) == [])
    #expect(actual.count > 20)
  }

  @Test func `every path under v1 says whether pages of another site may call it`() async throws {
    try await Served.with { server in
      guard case .object(let paths)? = try await server.get("/openapi.json").json["paths"] else {
        return
      }
      var count = 0
      for path in paths where path.name.hasPrefix("/v1") {
        #expect(path.value["options"]?["security"] == [], "\(path.name)")
        #expect(path.value["options"]?["responses"]?["204"] != nil, "\(path.name)")
        let target = path.name.replacing("{", with: "").replacing("}", with: "")
        #expect(try await server.send("OPTIONS", target).status == 204, "\(path.name)")
        count += 1
      }
      #expect(count > 20)
    }
  }

  @Test func `the description has HEAD where there is GET, and the results that are omitted`()
    async throws
  {
    try await Served.with { server in
      let document = try await server.get("/openapi.json").json
      guard case .object(let paths)? = document["paths"] else { return }
      for path in paths {
        #expect((path.value["get"] == nil) == (path.value["head"] == nil), "\(path.name)")
        guard let head = path.value["head"] else { continue }
        let isStream = ["/v1/spaces/{space}/live", "/v1/spaces/{space}/changes"].contains(path.name)
        #expect((head["responses"]?["405"] != nil) == isStream, "\(path.name)")
        #expect((head["responses"]?["200"] == nil) == isStream, "\(path.name)")
        #expect(head["operationId"] != path.value["get"]?["operationId"], "\(path.name)")
      }
      let result = document["components"]?["schemas"]?["Result"]
      #expect(result?["properties"]?["resultOmitted"] != nil)
      #expect(result?["required"] == ["ok", "result"])
    }
  }

  @Test func `the events of streams are as described`() async throws {
    try await Served.with { server in
      try await server.create()
      let document = try await server.get("/openapi.json").json
      var events = try await Self.events(of: "changes", until: "event: changes", server)
      events += try await Self.events(of: "live", until: "event: head", server)
      #expect(Set(events.map(\.name)) == ["reset", "changes", "head"])
      for event in events {
        let reply = document["paths"]?["/v1/spaces/{space}/\(event.stream)"]?["get"]?["responses"]
        let schema = reply?["200"]?["content"]?["text/event-stream"]?["schema"]
        let names: JSON? = schema?["properties"]?["event"]?["enum"]
        guard case .array(let names)? = names, case .array(let required)? = schema?["required"]
        else {
          Issue.record("\(event.stream) has no events")
          continue
        }
        #expect(names.contains(.string(event.name)))
        for field in event.fields { #expect(schema?["properties"]?[field] != nil, "\(field)") }
        for field in required { #expect(event.fields.contains(string(field) ?? "")) }
      }
    }
  }

  private struct Event {
    let stream: String
    let name: String
    let fields: [String]
  }

  /// Returns the events of a stream up to one that comes at the latest after a write.
  private static func events(
    of stream: String,
    until last: String,
    _ server: Served
  ) async throws -> [Event] {
    let connection = try server.open("/v1/spaces/hats/\(stream)")
    var text = try await Served.aside { connection.read(until: "\n\n") }
    try await server.run(#"{"op":"create","type":"Hat"}"#)
    for _ in 0..<10 where !isWhole(last, in: text) {
      text += try await Served.aside { connection.read(until: "\n\n") }
    }
    return text.components(separatedBy: "\n\n").compactMap { part in
      let lines = part.split(whereSeparator: \.isNewline)
      guard let start = lines.firstIndex(where: { $0.hasPrefix("event: ") }) else { return nil }
      return Event(
        stream: stream,
        name: String(lines[start].dropFirst(7)),
        fields: lines[start...].compactMap { $0.split(separator: ":").first.map(String.init) }
      )
    }
  }

  private static func isWhole(_ event: String, in text: String) -> Bool {
    text.firstRange(of: event).map { text[$0.upperBound...].contains("\n\n") } ?? false
  }

  @Test func `the description is complete in itself`() async throws {
    try await Served.with { server in
      let reply = try await server.get("/openapi.json")
      #expect(reply.status == 200)
      let document = try reply.json
      #expect(document["openapi"] == "3.1.0")
      let references = reply.text.matches(of: /"\$ref":"#\/([^"]+)"/).map { String($0.1) }
      #expect(!references.isEmpty)
      for reference in Set(references) {
        var place: JSON? = document
        for part in reference.split(separator: "/") { place = place?[String(part)] }
        #expect(place != nil, "\(reference)")
      }
      guard case .object(let paths)? = document["paths"] else { return }
      var identifiers: [String] = []
      for path in paths {
        guard case .object(let methods) = path.value else { continue }
        for method in methods {
          identifiers.append(string(method.value["operationId"]) ?? "")
          let text = method.value.text
          for part in path.name.matches(of: /\{([a-z]+)\}/) {
            #expect(text.contains(#""name":"\#(part.1)","in":"path""#))
          }
        }
      }
      #expect(Set(identifiers).count == identifiers.count)
    }
  }
}
#endif
