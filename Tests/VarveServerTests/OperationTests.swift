import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveStore
import VarveTestSupport

@Suite struct OperationTests {
  @Test func `an operation runs, and the reply names its place`() async throws {
    try await Served.with { server in
      try await server.create()
      let path = "/v1/spaces/hats/operations"
      let reply = try await server.send(
        "POST",
        path,
        #"{"op":"create","type":"Hat","id":"hat-1","set":{"color":"red"},"author":"sam"}"#
      )
      #expect(try reply.json == ["ok": true, "result": "hat-1"])
      let position = try #require(reply.headers["varve-position"])
      #expect(try await server.get("/v1/spaces/hats").json["position"] == .string(position))
      let entry = try await server.get("/v1/spaces/hats/log").json["items"]
      guard case .array(let commits)? = entry else { throw reply }
      #expect(commits.first?["author"] == "sam")
    }
  }

  @Test func `a failed operation is a problem with the code of the command line`() async throws {
    try await Served.with { server in
      try await server.create()
      let path = "/v1/spaces/hats/operations"
      for (operation, status, code) in [
        (#"{"op":"update","id":"no","set":{"a":1}}"#, 404, "notFound"),
        (#"{"op":"no"}"#, 400, "invalidOperation"), ("{", 400, "invalidJSON"),
      ] {
        let reply = try await server.send("POST", path, operation)
        #expect(reply.status == status, "\(reply)")
        #expect(try reply.json["code"] == .string(code))
      }
      try await server.run(#"{"op":"create","type":"Hat","id":"hat-1"}"#)
      let again = #"{"op":"create","type":"Hat","id":"hat-1"}"#
      let double = try await server.send("POST", path, again)
      #expect(double.status == 409)
    }
  }

  @Test func `operations cannot name files of the server`() async throws {
    try await Served.with { server in
      try await server.create()
      let other = try await Store.open(server.scratch.path("secret"))
      _ = try await other.create("Secret")
      try await other.close()
      let path = server.scratch.path("secret")
      let reply = try await server.send(
        "POST",
        "/v1/spaces/hats/operations",
        #"{"op":"merge","from":"\#(path)"}"#
      )
      #expect(reply.status == 403)
      #expect(try await server.get("/v1/spaces/hats/types").json["items"] == [])
    }
  }

  @Test func `lines are answered one by one, before the request has ended`() async throws {
    try await Served.with { server in
      try await server.create()
      let port = server.port
      let text = try await Served.aside {
        let connection = try RawConnection(port: port)
        connection.write(
          Array(
            ("POST /v1/spaces/hats/operations HTTP/1.1\r\nHost: localhost:\(port)\r\n"
              + "Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n").utf8
          )
        )
        func send(_ line: String) {
          let bytes = line + "\n"
          connection.write(
            Array((String(bytes.utf8.count, radix: 16) + "\r\n" + bytes + "\r\n").utf8)
          )
        }
        send(#"{"op":"create","type":"Hat","id":"hat-1"}"#)
        let first = connection.read(until: "hat-1")
        send(#"{"op":"create","type":"Hat","id":"hat-1"}"#)
        let second = connection.read(until: "duplicateIdentifier")
        send(#"{"op":"all"}"#)
        connection.write(Array("0\r\n\r\n".utf8))
        return first + second + connection.read(until: #"["hat-1"]"#)
      }
      #expect(text.contains(#"{"ok":true,"result":"hat-1"}"#))
      #expect(text.contains("duplicateIdentifier"))
      #expect(text.contains(#"{"ok":true,"result":["hat-1"]}"#))
    }
  }

  @Test func `a line that is too long is answered, and those after it too`() async throws {
    var limits = ServerLimits()
    limits.lineByteCount = 100
    try await Served.with(limits: limits) { server in
      try await server.create()
      let body =
        #"{"op":"types"}"# + "\n" + String(repeating: " ", count: 200) + "\n\n"
        + #"{"op":"all"}"#
      let reply = try await server.send(
        "POST",
        "/v1/spaces/hats/operations",
        body,
        type: "application/jsonl"
      )
      let lines = try reply.text.split(separator: "\n").map { try JSONReader.read(String($0)) }
      #expect(lines.count == 3)
      #expect(lines[0] == ["ok": true, "result": []])
      #expect(lines[1]["error"]?["code"] == "invalidJSON")
      #expect(lines[2] == ["ok": true, "result": []])
    }
  }
}
