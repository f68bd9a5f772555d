#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveJSON
import VarveServer
import VarveStore
import VarveTestSupport

@Suite struct SpaceTests {
  @Test func `putting a space twice creates it once`() async throws {
    try await Served.with { server in
      let first = try await server.send("PUT", "/v1/spaces/hats", "")
      #expect(first.status == 201)
      let second = try await server.send("PUT", "/v1/spaces/hats", "")
      #expect(second.status == 200)
      #expect(try first.json["id"] == second.json["id"])
      #expect(FileManager.default.fileExists(atPath: server.scratch.path("hats.varve")))
    }
  }

  @Test func `a file that is put into the folder is a space, and keeps its id under another name`()
    async throws
  {
    let scratch = try Scratch()
    let store = try await Store.open(scratch.path("old.varve"))
    _ = try await store.create("Hat", ["color": "red"])
    try await store.close()
    let old = try await Served.with(scratch: scratch) { try await $0.get("/v1/spaces/old").json }
    #expect(old["commits"] == 1)
    // A file that is open has companions, so it is moved while it is not.
    try FileManager.default.moveItem(
      atPath: scratch.path("old.varve"),
      toPath: scratch.path("new.varve")
    )
    let new = try await Served.with(scratch: scratch) { try await $0.get("/v1/spaces/new").json }
    #expect(new["id"] == old["id"])
  }

  @Test func `of names that differ in case only, one is created, however many ask at once`()
    async throws
  {
    try await Served.with { server in
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for name in ["Abc", "aBc", "abC", "ABC"] {
          group.addTask { try await server.send("PUT", "/v1/spaces/\(name)", "").status }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.sorted() == [201, 409, 409, 409])
      #expect(try names(try await server.get("/v1/spaces").json).count == 1)
      try await server.create()
      let backup = server.scratch.path("backup.file")
      try await RemoteSpace("\(server.address)/hats").backUp(to: backup)
      await expectFailure(.duplicateIdentifier) {
        try await SpaceDirectory.restore(backup, to: server.scratch.path, as: "HATS")
      }
    }
  }

  @Test func `a condition is checked or refused`() async throws {
    try await Served.with { server in
      let any = ["If-None-Match": "*"]
      #expect(try await server.send("PUT", "/v1/spaces/hats", "", headers: any).status == 201)
      let again = try await server.send("PUT", "/v1/spaces/hats", "", headers: any)
      #expect(again.status == 412)
      let id = try #require(string(try await server.get("/v1/spaces/hats").json["id"]))
      let tag = try #require(try await server.get("/v1/spaces/hats").headers["etag"])
      let end = "/v1/spaces/hats?id=\(id)"
      for headers in [["If-Match": tag], any] {
        #expect(try await server.send("DELETE", end, headers: headers).status == 400)
      }
      for route in ["compare", "want", "commits"] {
        let path = "/v1/spaces/hats/\(route)"
        let headers = any.merging(["Content-Type": HostileTests.sync]) { $1 }
        let reply = try await server.send("POST", path, "", headers: headers)
        #expect(reply.status == 400)
        #expect(try reply.json["at"] == "header If-None-Match", "\(reply.text)")
      }
      let path = "/v1/spaces/hats/operations"
      let create = #"{"op":"create","type":"Hat","id":"hat"}"#
      #expect(try await server.send("POST", path, create, headers: any).status == 400)
      // The header * stands for whatever there is.
      let hat = "/v1/spaces/hats/entities/hat"
      #expect(try await server.get(hat, headers: any).status == 404)
      #expect(try await server.send("POST", path, create, headers: ["If-Match": "*"]).status == 200)
      #expect(try await server.get(hat, headers: any).status == 304)
    }
  }

  @Test(arguments: 0..<3)
  func `a request to a space that ends meanwhile says so, and the receipt counts all others`(
    round: Int
  ) async throws {
    try await Served.with { server in
      try await server.create()
      let id = try #require(string(try await server.get("/v1/spaces/hats").json["id"]))
      typealias Outcome = (statuses: [Int], counts: [Int])
      let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var statuses: [Int] = []
            while !statuses.contains(410) {
              let create = #"{"op":"create","type":"Hat"}"#
              let path = "/v1/spaces/hats/operations"
              statuses.append(try await server.send("POST", path, create).status)
            }
            return (statuses, [])
          }
        }
        for _ in 0..<2 {
          group.addTask {
            try await Task.sleep(for: .milliseconds(50 * round))
            let reply = try await server.send("DELETE", "/v1/spaces/hats?id=\(id)")
            #expect([200, 410].contains(reply.status))
            guard reply.status == 200, case .integer(let count)? = try reply.json["commits"] else {
              return ([], [])
            }
            return ([], [Int(count)])
          }
        }
        return try await group.reduce(into: Outcome([], [])) {
          $0.statuses += $1.statuses
          $0.counts += $1.counts
        }
      }
      #expect(Set(outcomes.statuses).subtracting([200, 410]) == [], "\(outcomes)")
      let writeCount = outcomes.statuses.count { $0 == 200 }
      #expect(outcomes.counts.map { $0 >= writeCount } == [true], "\(writeCount): \(outcomes)")
    }
  }

  @Test func `spaces are listed by name, page by page`() async throws {
    try await Served.with { server in
      for name in ["c", "a", "b"] { try await server.create(name) }
      let first = try await server.get("/v1/spaces?limit=2").json
      #expect(try names(first) == ["a", "b"])
      let next = try #require(string(first["next"]))
      let second = try await server.get("/v1/spaces?limit=2&cursor=\(next)").json
      #expect(try names(second) == ["c"])
      #expect(second["next"] == .null)
    }
  }

  @Test func `a file that cannot be read hides no space after it`() async throws {
    try await Served.with { server in
      for name in ["a", "c"] { try await server.create(name) }
      let path = server.scratch.path("b.varve")
      try Data("no store".utf8).write(to: URL(filePath: path))
      let first = try await server.get("/v1/spaces?limit=1").json
      #expect(try names(first) == ["a"])
      let next = try #require(string(first["next"]))
      let second = try await server.get("/v1/spaces?limit=1&cursor=\(next)").json
      #expect(try names(second) == ["c"])
    }
  }

  private func names(_ page: JSON) throws -> [String] {
    guard case .array(let items)? = page["items"] else { return [] }
    return items.compactMap { string($0["name"]) }
  }

  @Test func `ending a space needs its id and removes its files`() async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat"}"#)
      #expect(try await server.send("DELETE", "/v1/spaces/hats").status == 400)
      let other = "01900000-0000-4000-8000-000000000000"
      #expect(try await server.send("DELETE", "/v1/spaces/hats?id=\(other)").status == 404)
      let id = try #require(string(try await server.get("/v1/spaces/hats").json["id"]))
      let receipt = try await server.send("DELETE", "/v1/spaces/hats?id=\(id)")
      #expect(receipt.status == 200)
      #expect(try receipt.json["commits"] == 1)
      let ended = try await server.get("/v1/spaces/hats")
      #expect(ended.status == 410)
      #expect(try ended.json["code"] == "ended")
      #expect(try ended.json["at"] == .string("space \(id)"))
      #expect(!FileManager.default.fileExists(atPath: server.scratch.path("hats.varve")))
    }
  }

  @Test func `a space that is created while another under its name ends is kept`() async throws {
    try await Served.with { server in
      for round in 0..<5 {
        try await server.create()
        try await server.run(#"{"op":"create","type":"Hat","id":"old"}"#)
        let id = try #require(string(try await server.get("/v1/spaces/hats").json["id"]))
        async let ending = server.send("DELETE", "/v1/spaces/hats?id=\(id)")
        var made = try await server.send("PUT", "/v1/spaces/hats", "")
        while made.status == 200 || made.status == 503 {
          made = try await server.send("PUT", "/v1/spaces/hats", "")
        }
        #expect(made.status == 201, "\(made)")
        #expect(try await ending.status == 200)
        try await server.run(#"{"op":"create","type":"Hat","id":"new"}"#)
        // What was acknowledged is in the file, not in one that was removed.
        let store = try await Store.open(server.scratch.path("hats.varve"))
        #expect(try await store.entity("new") != nil, "round \(round)")
        #expect(try await store.entity("old") == nil, "round \(round)")
        try await store.close()
        let other = try #require(string(try made.json["id"]))
        #expect(try await server.send("DELETE", "/v1/spaces/hats?id=\(other)").status == 200)
      }
    }
  }

  @Test(arguments: ["commits", "want"])
  func `a request for a space that ended is refused by another under its name`(
    route: String
  ) async throws {
    try await Served.with { server in
      let body = route == "want" ? "\u{1}\u{0}" : ""
      func post(_ body: String, for space: String?) async throws -> Reply {
        try await server.send(
          "POST",
          "/v1/spaces/hats/\(route)",
          body,
          type: "application/vnd.varve.sync",
          headers: space.map { ["Varve-Space": $0] } ?? [:]
        )
      }
      try await server.create()
      let old = try #require(string(try await server.get("/v1/spaces/hats").json["id"]))
      #expect(try await post(body, for: old).status == 200)
      #expect(try await server.send("DELETE", "/v1/spaces/hats?id=\(old)").status == 200)
      #expect(try await post(body, for: old).status == 410)
      try await server.create()
      let refused = try await post(body, for: old)
      #expect(refused.status == 404)
      #expect(try refused.json["at"] == .string("space \(old)"))
      for none in [nil, "", "hats"] {
        #expect(try await post(body, for: none).status == 400)
      }
      let new = try #require(string(try await server.get("/v1/spaces/hats").json["id"]))
      #expect(try await post(body, for: new).status == 200)
    }
  }

  @Test func `a space that another server of the folder ends is gone at once`() async throws {
    let scratch = try Scratch()
    try await Served.with(scratch: scratch) { one in
      try await Served.with(scratch: scratch) { two in
        for round in 0..<3 {
          try await one.create()
          for server in [one, two] {
            try await server.run(#"{"op":"create","type":"Hat","id":"old\#(server.port)"}"#)
          }
          let id = try #require(string(try await one.get("/v1/spaces/hats").json["id"]))
          #expect(try await one.send("DELETE", "/v1/spaces/hats?id=\(id)").status == 200)
          for method in ["GET", "POST"] {
            let path = "/v1/spaces/hats\(method == "POST" ? "/operations" : "")"
            let body = method == "POST" ? #"{"op":"create","type":"Hat"}"# : nil
            let reply = try await two.send(method, path, body)
            #expect(reply.status == 410, "\(reply)")
            #expect(try reply.json["at"] == .string("space \(id)"))
          }
          // Another under the name is the one that both serve.
          try await two.create()
          try await one.run(#"{"op":"create","type":"Hat","id":"one"}"#)
          try await two.run(#"{"op":"create","type":"Hat","id":"two"}"#)
          let store = try await Store.open(scratch.path("hats.varve"))
          for hat in ["one", "two"] {
            #expect(try await store.entity(EntityID(hat)) != nil, "round \(round)")
          }
          try await store.close()
          let other = try #require(string(try await two.get("/v1/spaces/hats").json["id"]))
          #expect(other != id)
          #expect(try await two.send("DELETE", "/v1/spaces/hats?id=\(other)").status == 200)
        }
      }
    }
  }

  @Test func `a space is created although others ask for it at the same time`() async throws {
    try await Served.with { server in
      for round in 0..<10 {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<6 {
            group.addTask { _ = try await server.get("/v1/spaces/hats\(round)") }
          }
          group.addTask {
            let made = try await server.send("PUT", "/v1/spaces/hats\(round)", "")
            #expect(made.status == 201, "\(made)")
          }
          try await group.waitForAll()
        }
      }
    }
  }

  @Test func `a file that is removed while its space is open takes no writes`() async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat"}"#)
      for suffix in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: server.scratch.path("hats.varve\(suffix)"))
      }
      let body = #"{"op":"create","type":"Hat"}"#
      let reply = try await server.send("POST", "/v1/spaces/hats/operations", body)
      #expect(reply.status == 404, "\(reply)")
      try await server.create()
      #expect(try await server.get("/v1/spaces/hats").json["commits"] == 0)
    }
  }

  @Test func `a program creates, lists and ends spaces`() async throws {
    try await Served.with { server in
      let remote = RemoteServer(server.address)
      let made = try await remote.createSpace("hats")
      #expect(try await remote.createSpace("hats").id == made.id)
      let listed = try await remote.spaces()
      #expect(listed.map(\.name) == ["hats"])
      #expect(listed.map(\.id) == [made.id])
      #expect(listed.map(\.role) == ["admin"])
      let store = try await Store.open(.inMemory)
      _ = try await store.create("Hat")
      try await store.sync(with: remote.space("hats"))
      await expectFailure(.notFound) {
        try await remote.endSpace("hats", id: SpaceID.random().text)
      }
      let receipt = try await remote.endSpace("hats", id: made.id)
      #expect(receipt.commits == 1)
      #expect(try await remote.spaces().isEmpty)
      await expectFailure(.notFound) { try await store.sync(with: remote.space("hats")) }
    }
  }

  @Test func `only members see a space or that it ended, and only admins end it`() async throws {
    let scratch = try Scratch()
    let tokens = scratch.path("tokens.jsonl")
    func token(_ name: String, _ grants: [String: Role], isOperator: Bool = false) throws -> String
    {
      let principal = Principal(subject: name, grants: grants, isOperator: isOperator)
      return try TokenFile.create(name, for: principal, in: tokens)
    }
    let operating = try token("ops", ["caps": .admin], isOperator: true)
    let writing = try token("ben", ["caps": .writer])
    let other = try token("eve", ["hats": .admin])
    try await Served.with(.tokens(TokenFile(tokens)), scratch: scratch) { server in
      let remote = RemoteServer(server.address, token: operating)
      for name in ["caps", "hats"] { try await remote.createSpace(name) }
      #expect(try await remote.spaces().map(\.name) == ["caps"])
      let caps = try #require(try await remote.spaces().first)
      await expectFailure(.forbidden) {
        try await RemoteServer(server.address, token: writing).endSpace("caps", id: caps.id)
      }
      await expectFailure(.forbidden) {
        try await RemoteServer(server.address, token: writing).createSpace("bags")
      }
      await expectFailure(.notFound) {
        try await RemoteServer(server.address, token: other).endSpace("caps", id: caps.id)
      }
      #expect(try await remote.endSpace("caps", id: caps.id).by == "ops")
      for (token, status) in [(writing, 410), (other, 404)] {
        let headers = ["Authorization": "Bearer \(token)"]
        #expect(try await server.get("/v1/spaces/caps", headers: headers).status == status)
      }
    }
  }

  @Test(arguments: ["..", "a..b", ".hidden", "a%2Fb", "%00", "a%20b", "-a", "ä"])
  func `a name that could mean another file is refused`(name: String) async throws {
    try await Served.with { server in
      let encoded = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
      let path = "/v1/spaces/\(name.contains("%") ? name : encoded)"
      let reply = try await server.send("PUT", path, "")
      #expect((400..<500).contains(reply.status), "\(reply)")
      let files = try FileManager.default.contentsOfDirectory(atPath: server.scratch.path)
      #expect(files.isEmpty)
    }
  }

  @Test func `more spaces than may be open are served, one after another and together`()
    async throws
  {
    var limits = ServerLimits()
    limits.openSpaceCount = 2
    try await Served.with(limits: limits) { server in
      let names = (0..<5).map { "s\($0)" }
      for name in names { try await server.create(name) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for round in 0..<3 {
          for name in names {
            group.addTask {
              try await server.run(#"{"op":"create","type":"T","id":"e\#(round)"}"#, in: name)
            }
          }
        }
        try await group.waitForAll()
      }
      for name in names {
        let types = try await server.get("/v1/spaces/\(name)/types").json
        #expect(types["items"] == [["type": "T", "count": 3]])
      }
    }
  }
}

/// The text of a document.
func string(_ json: JSON?) -> String? {
  if case .string(let text)? = json { text } else { nil }
}
#endif
