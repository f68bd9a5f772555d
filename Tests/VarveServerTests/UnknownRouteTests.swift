#if CommandLine && Server
import Testing
import VarveJSON
import VarveServer

/// Requests for which there is no route.
@Suite struct UnknownRouteTests {
  @Test(arguments: [
    ("POST", "/v1/spaces", "GET, HEAD, OPTIONS"), ("DELETE", "/v1", "GET, HEAD, OPTIONS"),
    ("PATCH", "/v1/spaces/hats", "DELETE, GET, HEAD, OPTIONS, PUT"),
    ("POST", "/v1/spaces/hats/entities/x", "GET, HEAD, OPTIONS"),
    ("GET", "/v1/spaces/hats/operations", "OPTIONS, POST"),
    ("PUT", "/v1/spaces/hats/commits", "GET, HEAD, OPTIONS, POST"), ("POST", "/", "GET, HEAD"),
    ("PATCH", "/v1/spaces/hats/live", "GET, OPTIONS"),
    ("DELETE", "/inspector/main.js", "GET, HEAD"), ("POST", "/healthz", "GET, HEAD"),
  ])
  func `another method than a path has is said so`(
    method: String,
    path: String,
    methods: String
  ) async throws {
    try await Served.with { server in
      try await server.create()
      let reply = try await server.send(method, path, "")
      #expect(reply.status == 405)
      #expect(reply.headers["allow"] == methods)
      #expect(try reply.json["code"] == "methodNotAllowed")
    }
  }

  @Test(arguments: ["/v1/spaces/hats/%zz", "/%ff", "/v1/nothing/%f", "/v1/spaces/hats/types/%ff"])
  func `a path that cannot be read is the caller's fault`(path: String) async throws {
    try await Served.with { server in
      try await server.create()
      #expect(try await server.get(path).status == 400)
    }
  }

  @Test(arguments: ["/", "/v1/nothing/", "/v1/spaces/hats/entities/", "/inspector/"])
  func `a target beyond the limit is too long, whatever it names`(beginning: String) async throws {
    try await Served.with { server in
      try await server.create()
      let path = beginning + String(repeating: "a", count: ServerLimits().targetByteCount)
      #expect(try await server.get(path).status == 414)
    }
  }

  @Test func `a browser that opens the address of a space is led to the inspector`() async throws {
    try await Served.with { server in
      let page = ["Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"]
      let reply = try await server.get("/hats", headers: page)
      #expect(reply.status == 303)
      #expect(reply.headers["location"] == "./#/hats")
      #expect(try await server.get("/hats/", headers: page).headers["location"] == "../#/hats")
      // A program that asks for something else learns that nothing is there.
      #expect(try await server.get("/hats").status == 404)
      #expect(try await server.get("/a..b", headers: page).status == 404)
      #expect(try await server.get("/hats/caps", headers: page).status == 404)
    }
  }

  @Test func `names of spaces that differ in case only do not stand side by side`() async throws {
    try await Served.with { server in
      try await server.create("alpha")
      let twin = try await server.send("PUT", "/v1/spaces/ALPHA", "")
      #expect(twin.status == 409)
      #expect(try twin.json["code"] == "duplicateIdentifier")
      #expect(try await server.get("/v1/spaces/ALPHA").status == 404)
      #expect(try await server.send("PUT", "/v1/spaces/alpha", "").status == 200)
      try await server.create("ALPHA-2")
    }
  }

  @Test func `a document whose commits do not match their hashes is the caller's fault`()
    async throws
  {
    try await Served.with { server in
      try await server.create("hats")
      try await server.create("caps")
      try await server.run(#"{"op":"create","type":"Hat","id":"h1","set":{"color":"red"}}"#)
      let document = try await server.run(#"{"op":"interchange.export","form":"full"}"#).text
      let changed = [
        document.replacing(#""hash":""#, with: #""hash":"0"#).replacing("00\"", with: "0\""),
        document.replacing(#""time":"#, with: #""time":1"#),
        document.replacing(#""digest":""#, with: #""digest":"0"#),
        // The first byte of a block is its encoding.
        document.replacing(#""stored":"A"#, with: #""stored":"B"#),
        // A block without a salt is a redacted one, whose digest is that of its former content.
        document.replacing(/"salt":"[^"]*"/, with: #""salt":"""#)
          .replacing(/"stored":"[^"]*"/, with: #""stored":"Ad4JKLUv""#),
      ]
      for text in changed {
        let operation = #"{"op":"interchange.import","json":\#(text)}"#
        let path = "/v1/spaces/caps/operations"
        let reply = try await server.send("POST", path, operation)
        #expect(reply.status == 400, "\(reply)")
      }
      #expect(try await server.run(#"{"op":"types"}"#, in: "caps").text == "[]")
    }
  }
}
#endif
