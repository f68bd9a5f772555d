#if CommandLine && Server
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
      for (operation, place) in [
        ("{\"op\":\"count\",\n\"types\":[\"Hat\"]}\n{\"op\":\"count\"}", "line 3, column 1"),
        ("{\"op\":\"count\",\n \"types\":7}", "line 2, column 10"),
      ] {
        let reply = try await server.send("POST", path, operation)
        #expect(reply.text.contains(place), "\(reply)")
      }
      try await server.run(#"{"op":"create","type":"Hat","id":"hat-1"}"#)
      let again = #"{"op":"create","type":"Hat","id":"hat-1"}"#
      let double = try await server.send("POST", path, again)
      #expect(double.status == 409)
    }
  }

  @Test func `a result that the client has is not sent again`() async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","id":"hat-1","set":{"color":"red"}}"#)
      let read = { (known: String) in
        try await server.send(
          "POST",
          "/v1/spaces/hats/operations",
          #"{"op":"query","type":"Hat"}"#,
          headers: ["varve-result": known]
        )
      }
      let first = try await read("none")
      let name = try #require(first.headers["varve-result"])
      #expect(first.status == 200 && first.body.isEmpty == false)
      let second = try await read(name)
      #expect(second.status == 204 && second.body.isEmpty)
      #expect(second.headers["varve-result"] == name)
      try await server.run(#"{"op":"set","id":"hat-1","set":{"color":"blue"}}"#)
      let third = try await read(name)
      #expect(third.status == 200)
      #expect(third.headers["varve-result"] != name)
      let plain = try await server.send("POST", "/v1/spaces/hats/operations", #"{"op":"types"}"#)
      #expect(plain.headers["varve-result"] == nil)
    }
  }

  @Test func `the commits around a commit are named by it`() async throws {
    try await Served.with { server in
      try await server.create()
      for number in 1...3 {
        try await server.run(#"{"op":"create","type":"Hat","id":"hat-\#(number)"}"#)
      }
      let log = try await server.get("/v1/spaces/hats/log")
      guard case .array(let commits)? = try log.json["items"], commits.count == 3 else { throw log }
      let (replica, hash) = (commits[1]["replica"], commits[1]["hash"])
      let head: JSON = [
        "replica": replica ?? .null, "sequence": .integer(2), "hash": hash ?? .null,
      ]
      let around = { (place: JSON) in
        let operation: JSON = ["op": "timeline", "around": place]
        return try await server.send("POST", "/v1/spaces/hats/operations", operation.text)
      }
      let found = try await around(["commit": head]).json["result"]
      #expect(found?["previous"]?["hash"] == commits[2]["hash"])
      #expect(found?["next"]?["hash"] == commits[0]["hash"])
      #expect(try await around("now").status == 400)
      #expect(try await around(["frontier": []]).status == 400)
      for field in [#""from":"2024-01-01""#, #""intervals":5"#, #""by":"author""#] {
        let text = #"{"op":"timeline","around":"2024-06-01",\#(field)}"#
        let refusal = try await server.send("POST", "/v1/spaces/hats/operations", text)
        #expect(refusal.status == 400)
        #expect(try refusal.json["code"] == "invalidOperation")
      }
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
#endif
