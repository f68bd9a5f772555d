#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveServer
import VarveStore
import VarveTestSupport

/// `GET …/changes`
@Suite(.timeLimit(.minutes(5))) struct ChangeStreamTests {
  private func space(_ server: Served) -> RemoteSpace { RemoteSpace("\(server.address)/hats") }

  /// Returns the next change set, and the id after it.
  private func next(
    _ events: inout RemoteChanges.Iterator
  ) async throws -> (set: ChangeSet, id: String?) {
    while let event = try await events.next() {
      if case .changes(let set) = event.content { return (set, event.id) }
    }
    throw CancellationError()
  }

  @Test func `a stream begins with a reset, and has every later change`() async throws {
    try await Served.with { server in
      try await server.create()
      try await server.run(#"{"op":"create","type":"Hat","id":"old"}"#)
      var events = space(server).changes().makeAsyncIterator()
      #expect(try await events.next()?.content == .reset)
      try await server.run(#"{"op":"create","type":"Hat","id":"a","set":{"color":"red"}}"#)
      try await server.run(#"{"op":"set","id":"a","set":{"color":"blue"}}"#)
      let first = try await next(&events).set
      #expect(first.added == ["a"])
      #expect(first.types == ["Hat"])
      let second = try await next(&events).set
      #expect(second.changed == ["a"])
      #expect(second.keysByEntity == ["a": ["color"]])
    }
  }

  @Test func `a stream continues after the last event, also with a server that was started again`()
    async throws
  {
    let scratch = try Scratch()
    let create = { (id: String) in #"{"op":"create","type":"Hat","id":"\#(id)"}"# }
    let (port, id) = try await Served.with(scratch: scratch) { server in
      try await server.create()
      var events = space(server).changes().makeAsyncIterator()
      _ = try await events.next()
      try await server.run(create("a"))
      try await server.run(create("b"))
      let first = try await next(&events)
      #expect(first.set.added == ["a"])
      return (server.port, first.id)
    }
    try await Served.with(scratch: scratch, port: port) { server in
      try await server.run(create("c"))
      var events = space(server).changes(after: id).makeAsyncIterator()
      #expect(try await next(&events).set.added == ["b"])
      #expect(try await next(&events).set.added == ["c"])
      try await server.run(create("d"))
      #expect(try await next(&events).set.added == ["d"])
    }
  }

  @Test func `an iterator survives the end of the server`() async throws {
    let scratch = try Scratch()
    let create = { (id: String) in #"{"op":"create","type":"Hat","id":"\#(id)"}"# }
    let (port, iterator) = try await Served.with(scratch: scratch) { server in
      try await server.create()
      var events = space(server).changes().makeAsyncIterator()
      _ = try await events.next()
      // One task reads at a time: this closure, and the test after it.
      nonisolated(unsafe) let iterator = events
      return (server.port, iterator)
    }
    var events = iterator
    try await Served.with(scratch: scratch, port: port) { server in
      try await server.run(create("a"))
      #expect(try await next(&events).set.added == ["a"])
    }
  }

  @Test func `what is merged is one event, after which a stream continues`() async throws {
    try await Served.with { server in
      try await server.create()
      let laptop = try await Store.open(.inMemory)
      for id in ["a", "b", "c"] { _ = try await laptop.create("Hat", id: EntityID(id)) }
      var events = space(server).changes().makeAsyncIterator()
      #expect(try await events.next()?.content == .reset)
      try await laptop.sync(with: space(server))
      let merged = try await next(&events)
      #expect(merged.set.added.sorted() == ["a", "b", "c"])
      try await server.run(#"{"op":"create","type":"Hat","id":"d"}"#)
      var later = space(server).changes(after: merged.id).makeAsyncIterator()
      #expect(try await next(&later).set.added == ["d"])
    }
  }

  @Test func `a commit that was withheld comes when it falls due, also to a stream that continues`()
    async throws
  {
    let scratch = try Scratch()
    var ahead = Store.Configuration()
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    ahead.wallMilliseconds = { now + 900_000 }
    let laptop = try await Store.open(.inMemory, configuration: ahead)
    _ = try await laptop.create("Hat", id: "later")
    let path = scratch.path("hats.varve")
    let id = try await Served.with(scratch: scratch) { server in
      try await server.create()
      var events = space(server).changes().makeAsyncIterator()
      _ = try await events.next()
      try await laptop.sync(with: space(server))
      try await server.run(#"{"op":"create","type":"Hat","id":"a"}"#)
      let shown = try await next(&events)
      #expect(shown.set.added == ["a"])
      return shown.id
    }
    // An hour later.
    var late = Store.Configuration()
    late.wallMilliseconds = { now + 3_600_000 }
    let store = try await Store.open(path, configuration: late)
    _ = try await store.create("Hat", id: "b")
    #expect(try await store.entity("later") != nil)
    try await store.close()
    try await Served.with(scratch: scratch) { server in
      var events = space(server).changes(after: id).makeAsyncIterator()
      var added: Set<EntityID> = []
      while added.count < 2 { added.formUnion(try await next(&events).set.added) }
      #expect(added == ["b", "later"])
    }
  }

  @Test(arguments: ["nonsense", "", "00000000-0000-4000-8000-000000000000.AA"])
  func `a stream that cannot continue begins anew`(id: String) async throws {
    try await Served.with { server in
      try await server.create()
      var events = space(server).changes(after: id).makeAsyncIterator()
      #expect(try await events.next()?.content == .reset)
    }
  }

  @Test func `a stream that missed more than the limit begins anew`() async throws {
    var limits = ServerLimits()
    limits.resumedCommitCount = 3
    limits.eventEntityCount = 5
    try await Served.with(limits: limits) { server in
      try await server.create()
      var events = space(server).changes().makeAsyncIterator()
      let begin = try await events.next()?.id
      for number in 0..<3 { try await server.run(#"{"op":"create","type":"T","id":"\#(number)"}"#) }
      var early = space(server).changes(after: begin).makeAsyncIterator()
      #expect(try await next(&early).set.added == ["0"])
      try await server.run(#"{"op":"create","type":"T","id":"3"}"#)
      var late = space(server).changes(after: begin).makeAsyncIterator()
      #expect(try await late.next()?.content == .reset)
      // One event with more entities than the limit is none.
      let many = try await Store.open(.inMemory)
      try await many.write { transaction in
        for _ in 0..<6 { _ = try await transaction.create("T") }
      }
      try await many.sync(with: space(server))
      #expect(try await late.next()?.content == .reset)
    }
  }

  @Test func `a quiet stream shows from time to time that it lives, and ends with the server`()
    async throws
  {
    var limits = ServerLimits()
    limits.heartbeatSeconds = 1
    try await Served.with(limits: limits) { server in
      try await server.create()
      let port = server.port
      let text = try await Served.aside {
        let connection = try RawConnection(port: port)
        let head = "GET /v1/spaces/hats/changes HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n"
        connection.write(Array(head.utf8))
        return connection.read(until: ":\n\n")
      }
      #expect(text.contains("text/event-stream"))
      #expect(text.contains("event: reset\nid: "))
    }
  }

  @Test func `a quiet stream ends soon after its token is revoked`() async throws {
    let scratch = try Scratch()
    let file = scratch.path("tokens.jsonl")
    let principal = Principal(subject: "rita", grants: ["hats": .reader], isOperator: true)
    let token = try TokenFile.create("rita", for: principal, in: file)
    var limits = ServerLimits()
    // Longer than the test may take.
    limits.heartbeatSeconds = 3_600
    let access = Access.tokens(TokenFile(file))
    try await Served.with(access, limits: limits, scratch: scratch) { server in
      let headers = ["Authorization": "Bearer \(token)"]
      _ = try await server.send("PUT", "/v1/spaces/hats", "", headers: headers)
      let stream = try server.open("/v1/spaces/hats/changes", headers: headers)
      _ = try await Served.aside { stream.read(until: "event: reset") }
      _ = try TokenFile.revoke("rita", in: file)
      let rest = try await Served.aside { String(decoding: stream.readToEnd(), as: UTF8.self) }
      // The last chunk: the reply ended, and not only the patience of the client.
      #expect(rest.hasSuffix("0\r\n\r\n"))
    }
  }
}
#endif
