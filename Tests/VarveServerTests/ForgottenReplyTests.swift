#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveTestSupport

/// What a purge leaves of a value in the folder of a server.
@Suite struct ForgottenReplyTests {
  private static let operations = "/v1/spaces/hats/operations"
  private static let secret = "Xq7-Zt4w-Kp9-Vm2"

  /// Returns the files of a folder that contain a text.
  private func files(in folder: String, with text: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter { path in
      let bytes = FileManager.default.contents(atPath: "\(folder)/\(path)") ?? Data()
      return bytes.firstRange(of: Data(text.utf8)) != nil
    }
  }

  /// A transaction whose result has the value: what it reads, and the error of an attempt.
  private static let reading = """
    {"op":"transaction","operations":[
      {"op":"create","type":"Hat","id":"h1","set":{"name":"\(secret)"}},
      {"op":"query","type":"Hat"},
      {"op":"attempt","operations":[{"op":"query","type":"Hat"}]},
      {"op":"attempt","operations":[
        {"op":"update","id":"h1","set":{"size":1},"expecting":{"name":"other"}}]},
      {"op":"once","name":"first","operations":[{"op":"query","type":"Hat"}]},
      {"op":"create","type":"Cap","id":"c1"}]}
    """
    .replacing("\n", with: "")

  @Test func `after a purge, no file of the folder has the value that a reply had`() async throws {
    try await Served.with { server async throws in
      try await server.create()
      let folder = server.scratch.path
      let streams = try ["live", "changes"].map { try server.open("/v1/spaces/hats/\($0)") }
      for stream in streams { _ = try await Served.aside { stream.read(until: "\n\n") } }
      let headers = ["Idempotency-Key": "k"]
      let first = try await server.send("POST", Self.operations, Self.reading, headers: headers)
      #expect(first.status == 200, "\(first)")
      #expect(first.text.contains(Self.secret))
      #expect(try await server.get("/v1/spaces/hats/entities/h1").text.contains(Self.secret))
      #expect(try !files(in: folder, with: Self.secret).isEmpty)
      // No property of another entity has the value, not even that which remembers the request.
      let requests = try await server.get("/v1/spaces/hats/types/varve.request")
      #expect(!requests.text.contains(Self.secret), "\(requests)")
      #expect(requests.text.contains("c1"))
      try await server.run(#"{"op":"purge","ids":["h1"]}"#)
      #expect(try files(in: folder, with: Self.secret) == [])
      let again = try await server.send("POST", Self.operations, Self.reading, headers: headers)
      #expect(again.headers["idempotency-replayed"] == "true")
      #expect(!again.text.contains(Self.secret))
      #expect(try files(in: folder, with: Self.secret) == [])
      withExtendedLifetime(streams) {}
    }
  }

  @Test func `a repeated transaction has the results of its writes, and reads again`()
    async throws
  {
    try await Served.with { server async throws in
      try await server.create()
      let headers = ["Idempotency-Key": "k"]
      func send() async throws -> [JSON] {
        let reply = try await server.send("POST", Self.operations, Self.reading, headers: headers)
        guard case .array(let results)? = try reply.json["result"] else { throw reply }
        return results
      }
      let first = try await send()
      let second = try await send()
      #expect(first.count == 6)
      #expect(first[3]["error"]?["message"] != nil)
      for number in [0, 1, 2, 4, 5] { #expect(second[number] == first[number]) }
      // An error's message could have a value; its code has none.
      #expect(second[3]["ok"] == false)
      #expect(second[3]["error"]?["code"] == first[3]["error"]?["code"])
      try await server.run(#"{"op":"set","id":"h1","set":{"name":"fedora"}}"#)
      let third = try await send()
      #expect(third[1].text.contains("fedora"))
      #expect(third[5] == first[5])
    }
  }

  @Test func `a write that only has identifiers keeps its result after a purge`() async throws {
    try await Served.with { server async throws in
      try await server.create()
      let create = #"{"op":"create","type":"Hat","set":{"name":"\#(Self.secret)"}}"#
      let headers = ["Idempotency-Key": "k"]
      let first = try await server.send("POST", Self.operations, create, headers: headers)
      guard case .string(let id)? = try first.json["result"] else { throw first }
      try await server.run(#"{"op":"purge","ids":["\#(id)"]}"#)
      #expect(try files(in: server.scratch.path, with: Self.secret) == [])
      let again = try await server.send("POST", Self.operations, create, headers: headers)
      #expect(again.text == first.text)
      #expect(again.headers["idempotency-replayed"] == "true")
    }
  }
}
#endif
