import Foundation
import Synchronization
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Files are read byte by byte: what is purged must be nowhere.
@Suite("Purged bytes")
struct DestroyedBytesTests {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func open(_ name: String) async throws -> Store {
    try await Store.open(folder.path(name))
  }

  /// The files that hold a text.
  private func files(holding text: String) throws -> [String] {
    let names = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
    return try names.filter { name in
      var isFolder: ObjCBool = false
      let path = folder.path(name)
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      guard !isFolder.boolValue else { return false }
      return try Data(contentsOf: URL(fileURLWithPath: path)).range(of: Data(text.utf8)) != nil
    }.sorted()
  }

  @Test func `are gone from the file and its log: values, earlier values, words, large values`()
    async throws
  {
    let store = try await open("store")
    try await store.addSearch(on: ["note"], of: "Person")
    try await store.write { tx in
      try await tx.create(
        "Person",
        id: "ana",
        ["note": "firstsecretnote", "code": "plainsecret"]
      )
      try await tx.create("Person", id: "bob", ["note": "staysnote"])
    }
    try await store.set("ana", "note", "secondsecretnote")
    let large = String(repeating: "largesecretvalue", count: 200_000)
    try await store.set("ana", "large", .string(large))
    try await store.set("ana", "large", "small")
    let secrets = ["firstsecretnote", "plainsecret", "secondsecretnote"]
    for secret in secrets { #expect(try !files(holding: secret).isEmpty, "\(secret)") }
    try await store.purge(["ana"])
    for secret in secrets + ["largesecretvalue"] {
      #expect(try files(holding: secret) == [], "\(secret)")
    }
    #expect(try !files(holding: "staysnote").isEmpty)
    let report = try await store.check()
    #expect(report.isClean, "\(report.findings)")
    try await store.close()
  }

  @Test func `are gone with the next write if a reader was active during the purge`() async throws {
    let store = try await open("store")
    let secret = "secret-\(UUID().uuidString)"
    try await store.create("Person", id: "ana", ["name": .string(secret)])
    try await store.create("Person", id: "bob")
    try await store.read { snapshot in
      #expect(try await snapshot.entity("ana")?["name"] == .string(secret))
      try await store.purge(["ana"])
      #expect(try await snapshot.entity("bob") != nil)
      try await store.set("bob", "size", 1)
    }
    try await store.set("bob", "size", 2)
    #expect(try files(holding: secret) == [])
    try await store.close()
    let again = try await open("store")
    #expect(try await again.entity("bob")?["size"] == 2)
    let report = try await again.check()
    #expect(report.isClean, "\(report.findings)")
  }

  @Test func `purged bytes are gone on a replica that synchronises, whether it had them or not`()
    async throws
  {
    let (left, right, late) = (
      try await open("left"), try await open("right"), try await open("late")
    )
    // Random bytes: texts that compression cannot hide.
    let secret = "secret-\(UUID().uuidString)"
    try await left.create("Person", id: "ana", ["name": .string(secret)])
    try await left.create("Person", id: "bob", ["name": "kept-here"])
    try await right.sync(with: left)
    #expect(try files(holding: secret).contains { $0.hasPrefix("right") })
    try await left.purge(["ana"])
    try await right.sync(with: left)
    try await late.sync(with: right)
    #expect(try files(holding: secret) == [])
    for store in [left, right, late] {
      #expect(try await store.entity("bob")?["name"] == "kept-here")
      let report = try await store.check()
      #expect(report.isClean, "\(report.findings)")
    }
  }

  @Test func `are not in full documents, and a store loaded from one has the same state`()
    async throws
  {
    let store = try await open("store")
    let secret = "secret-\(UUID().uuidString)"
    try await store.create("Person", id: "ana", ["name": .string(secret)])
    try await store.create("Person", id: "bob", ["name": "Bob"])
    try await store.purge(["ana"])
    let document = try await store.exported(.full)
    let other = try await open("other")
    try await other.loaded(document)
    #expect(try await other.history(of: "ana", "name").isEmpty)
    #expect(try await other.entity("bob")?["name"] == "Bob")
    #expect(try await other.frontier() == store.frontier())
    let report = try await other.check()
    #expect(report.isClean, "\(report.findings)")
  }

  @Test func `purged bytes are gone from a bulk creation, whose other rows stay`() async throws {
    let store = try await open("store")
    try await store.write { tx in
      for number in 0..<5_000 {
        try await tx.create(
          "Person",
          id: EntityID("person-\(number)"),
          ["name": .string("name-\(number)-\(number &* 7_919)")]
        )
      }
    }
    try await store.purge(["person-0", "person-4999", "person-2500"])
    #expect(try await store.count(Query("Person")) == 4_997)
    #expect(try await store.history(of: "person-2500", "name").isEmpty)
    #expect(try await store.history(of: "person-2501", "name").count == 1)
    #expect(try files(holding: "name-2500-") == [])
    let report = try await store.check()
    #expect(report.isClean, "\(report.findings)")
    try await store.rebuild()
    #expect(try await store.entity("person-4998")?["name"] == .string("name-4998-\(4998 &* 7_919)"))
  }
}

extension Store {
  fileprivate func exported(_ form: InterchangeForm) async throws -> [UInt8] {
    let bytes = Mutex([UInt8]())
    try await export(form) { piece in bytes.withLock { $0 += piece } }
    return bytes.withLock { $0 }
  }

  fileprivate func loaded(_ document: [UInt8]) async throws {
    _ = try await load(DocumentSource(bytes: document))
  }
}
