#if CommandLine && Server
import Foundation
import Testing
import VarveJSON
import VarveServer
import VarveStore
import VarveTestSupport

/// Deliveries to webhooks.
@Suite(.timeLimit(.minutes(5))) struct WebhookTests {
  private static let policy: WebhookPolicy = {
    var policy = WebhookPolicy()
    policy.firstPause = .milliseconds(10)
    policy.longestPause = .milliseconds(20)
    policy.interval = .milliseconds(50)
    policy.attemptCount = 3
    policy.deadLetterCount = 2
    return policy
  }()

  private func webhook(_ receiver: Receiver, allowsPrivate: Bool = true) -> Webhook {
    Webhook(
      name: "shop",
      url: "http://localhost:\(receiver.port)/hook",
      spaces: ["hats"],
      allowsPrivateAddresses: allowsPrivate
    )
  }

  private func create(_ id: String) -> String { #"{"op":"create","type":"Hat","id":"\#(id)"}"# }

  /// Waits until what is known of the deliveries satisfies a condition.
  private func wait(
    _ folder: WebhookFolder,
    until isMet: (WebhookFolder.State) -> Bool
  ) async throws -> WebhookFolder.State {
    while true {
      let webhook = try folder.webhooks().first { $0.name == "shop" }
      if let state = webhook.flatMap({ folder.states(of: $0).first }), isMet(state) { return state }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test func `changes are delivered in order and signed, also those of the time without a server`()
    async throws
  {
    let (scratch, receiver) = (try Scratch(), try Receiver())
    let folder = WebhookFolder(scratch.path)
    let webhook = webhook(receiver)
    try await folder.add(webhook)
    try await Served.with(scratch: scratch, webhooks: Self.policy) { server in
      try await server.create()
      _ = try await wait(folder) { _ in true }
      for id in ["a", "b"] { try await server.run(create(id)) }
      _ = try await wait(folder) { $0.deliveredCount == 2 }
    }
    // Another process writes while the server is away.
    let store = try await Store.open(scratch.path("hats.varve"))
    _ = try await store.create("Hat", id: "c")
    try await store.close()
    try await Served.with(scratch: scratch, webhooks: Self.policy) { _ in
      _ = try await wait(folder) { $0.deliveredCount >= 3 }
    }
    let requests = receiver.requests()
    var added: [JSON] = []
    for request in requests {
      let body = try JSONReader.read(request.body)
      #expect(body["webhook"] == "shop")
      #expect(body["space"] == "hats")
      if let ids = body["changes"]?["added"], !added.contains(ids) { added.append(ids) }
      let seconds = try #require(Int(request.headers["webhook-timestamp"] ?? ""))
      let id = try #require(request.headers["webhook-id"])
      #expect(
        request.headers["webhook-signature"]
          == webhook.signature(of: request.body, id: id, at: seconds)
      )
    }
    #expect(added == [["a"], ["b"], ["c"]])
  }

  @Test func `everything after it was added arrives, with a server or without, and of new spaces`()
    async throws
  {
    let (scratch, receiver) = (try Scratch(), try Receiver())
    let folder = WebhookFolder(scratch.path)
    let store = try await Store.open(scratch.path("hats.varve"))
    _ = try await store.create("Hat", id: "before")
    try await store.close()
    var webhook = webhook(receiver)
    webhook.spaces = ["*"]
    try await folder.add(webhook)
    let offline = try await Store.open(scratch.path("hats.varve"))
    _ = try await offline.create("Hat", id: "offline")
    try await offline.close()
    try await Served.with(scratch: scratch, webhooks: Self.policy) { server in
      try await server.run(create("a"))
      _ = try await server.send("PUT", "/v1/spaces/caps", "")
      try await server.run(create("cap"), in: "caps")
      var second = self.webhook(receiver)
      (second.name, second.url) = ("second", second.url + "/second")
      try await folder.add(second)
      try await server.run(create("late"))
      while receiver.requests().count(where: { $0.body.contains("late") }) < 2 {
        try await Task.sleep(for: .milliseconds(20))
      }
      while !receiver.requests().contains(where: { $0.body.contains("cap") }) {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    let bodies = receiver.requests().map(\.body)
    for id in ["offline", "a", "late", "cap"] {
      #expect(bodies.contains { $0.contains("\"\(id)\"") }, "\(id)")
    }
    #expect(!bodies.contains { $0.contains("before") || $0.contains(#""event":"reset""#) })
    let ofSecond = bodies.filter { $0.contains(#""webhook":"second""#) }
    #expect(!ofSecond.contains { $0.contains("offline") })
  }

  @Test func `a webhook knows nothing of one that had its name before`() async throws {
    let (scratch, receiver) = (try Scratch(), try Receiver())
    let folder = WebhookFolder(scratch.path)
    try await Served.with(scratch: scratch, webhooks: Self.policy) { server in
      try await server.create()
      receiver.refuse { _ in true }
      try await folder.add(webhook(receiver))
      try await server.run(create("old"))
      _ = try await wait(folder) { $0.failureCount >= 1 }
      #expect(try folder.remove("shop"))
      try await server.run(create("between"))
      receiver.refuse { _ in false }
      var second = webhook(receiver)
      second.url += "/second"
      try await folder.add(second)
      try await server.run(create("new"))
      _ = try await wait(folder) { $0.deliveredCount >= 1 }
      let requests = receiver.requests().filter { $0.path.hasSuffix("/second") }
      #expect(!requests.isEmpty)
      #expect(!requests.contains { $0.body.contains("old") || $0.body.contains("between") })
      // Nothing is left of the first.
      let states = { try FileManager.default.contentsOfDirectory(atPath: scratch.path("webhooks")) }
      while try states().count(where: { $0.hasPrefix("shop-") }) > 1 {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  @Test func `what a receiver refuses is tried again, given up and kept, and the next follows`()
    async throws
  {
    let (scratch, receiver) = (try Scratch(), try Receiver())
    let folder = WebhookFolder(scratch.path)
    try await folder.add(webhook(receiver))
    receiver.refuse { $0.contains(#""added":["bad"#) }
    try await Served.with(scratch: scratch, webhooks: Self.policy) { server in
      try await server.create()
      _ = try await wait(folder) { _ in true }
      for id in ["bad1", "bad2", "bad3", "good"] { try await server.run(create(id)) }
      let state = try await wait(folder) { $0.deliveredCount == 1 && $0.deadCount == 3 }
      #expect(state.failureCount == 0)
      let reply = try await server.get("/v1/spaces/hats/webhooks")
      guard case .array(let items)? = try reply.json["items"] else { throw reply }
      #expect(items.first?["state"]?["dead"] == 3)
      #expect(!reply.text.contains("whsec_"))
    }
    // The same delivery has the same id at each attempt.
    let ids = receiver.requests().filter { $0.body.contains("bad1") }.map {
      $0.headers["webhook-id"]
    }
    #expect(ids.count == 3)
    #expect(Set(ids).count == 1)
    // Only the newest are kept.
    let letters = try folder.deadLetters()
    #expect(letters.count == 2)
    #expect(letters.last?["error"] == "the status was 500")
  }

  @Test func `an event that comes again after a restart has the same id and body`() async throws {
    let (scratch, receiver) = (try Scratch(), try Receiver())
    let folder = WebhookFolder(scratch.path)
    try await folder.add(webhook(receiver))
    receiver.refuse { _ in true }
    var policy = Self.policy
    policy.attemptCount = 1_000
    try await Served.with(scratch: scratch, webhooks: policy) { server in
      try await server.create()
      _ = try await wait(folder) { _ in true }
      try await server.run(create("a"))
      _ = try await wait(folder) { $0.failureCount >= 2 }
    }
    receiver.refuse { _ in false }
    try await Served.with(scratch: scratch, webhooks: policy) { server in
      _ = try await wait(folder) { $0.deliveredCount == 1 }
      try await server.run(create("b"))
      _ = try await wait(folder) { $0.deliveredCount == 2 }
    }
    let requests = receiver.requests()
    let first = requests.filter { $0.body.contains(#""added":["a"]"#) }
    #expect(first.count >= 3)
    #expect(Set(first.map { $0.headers["webhook-id"] }).count == 1)
    #expect(Set(first.map(\.body)).count == 1)
    // A delivery whose answer comes too late is repeated with its id.
    let later = requests.dropFirst(first.count)
    #expect(!later.isEmpty)
    #expect(later.allSatisfy { $0.body.contains(#""added":["b"]"#) }, "\(requests.map(\.body))")
    #expect(Set(later.map { $0.headers["webhook-id"] }).count == 1)
  }

  @Test func `webhooks that are added and removed at once are all kept and all removed`()
    async throws
  {
    let scratch = try Scratch()
    let names = (0..<12).map { "hook\($0)" }
    func each(
      _ body: @escaping @Sendable (WebhookFolder, String) async throws -> Void
    ) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for name in names {
          group.addTask { [path = scratch.path] in
            try await body(WebhookFolder(path), name)
          }
        }
        try await group.waitForAll()
      }
    }
    try await each { folder, name in
      try await folder.add(Webhook(name: name, url: "https://example.com", spaces: ["*"]))
    }
    #expect(Set(try WebhookFolder(scratch.path).webhooks().map(\.name)) == Set(names))
    try await each { folder, name in
      let wasThere = try folder.remove(name)
      #expect(wasThere)
    }
    #expect(try WebhookFolder(scratch.path).webhooks().isEmpty)
  }

  @Test func `a private address is refused unless the webhook permits it`() async throws {
    let (scratch, receiver) = (try Scratch(), try Receiver())
    let folder = WebhookFolder(scratch.path)
    try await folder.add(webhook(receiver, allowsPrivate: false))
    try await Served.with(scratch: scratch, webhooks: Self.policy) { server in
      try await server.create()
      _ = try await wait(folder) { _ in true }
      try await server.run(create("a"))
      let state = try await wait(folder) { $0.deadCount == 1 }
      #expect(state.error?.contains("private address") == true)
    }
    #expect(receiver.requests().isEmpty)
  }

  @Test(arguments: [
    "127.0.0.1", "10.1.2.3", "172.31.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1",
    "64:ff9b::a00:1", "2002:7f00:1::", "2001:db8::1", "ff02::1", "0x7f.1", "2130706433",
  ])
  func `an address that is not of the internet is private`(address: String) {
    #expect(!PublicAddress.isPublic(address))
  }

  @Test(arguments: ["1.1.1.1", "172.32.0.1", "2606:4700:4700::1111"])
  func `an address of the internet is none`(address: String) {
    #expect(PublicAddress.isPublic(address))
  }

  @Test(arguments: ["ftp://example.com", "example.com", "https://", "https://ben:key@example.com/"])
  func `an address that cannot be used is refused`(url: String) async throws {
    let folder = WebhookFolder(try Scratch().path)
    await #expect(throws: (any Error).self) {
      try await folder.add(Webhook(name: "shop", url: url, spaces: ["hats"]))
    }
  }
}
#endif
