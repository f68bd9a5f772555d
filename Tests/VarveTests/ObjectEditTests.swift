import Foundation
import Testing
import Varve

@Suite("What counts as an edit of a live object")
struct ObjectEditTests {
  private let store: Store

  init() async throws { store = try await Store.open(.inMemory) }

  private func context() async throws -> Objects {
    let objects = try await Objects(store)
    objects.register(Tagged.self, Token.self, Plain.self, Doubled.self, Folder.self)
    return objects
  }

  @Test func `a set or a dictionary in a coded property, in any order, is not an edit`()
    async throws
  {
    let tags = Set((0..<20).map { "tag \($0)" })
    let sizes = Dictionary(uniqueKeysWithValues: (0..<20).map { (Tags.Point(x: $0), "\($0)") })
    let saved = Tagged()
    saved.tags = Tags(tags: tags, sizes: sizes)
    try await context().save(saved)
    for _ in 0..<10 {
      let objects = try await context()
      let loaded = try await objects.load(saved.id, as: Tagged.self)
      #expect(try !objects.hasChanges(loaded))
      loaded.count += 1
      try await objects.save(loaded)
      #expect(loaded.tags == saved.tags)
    }
    #expect(try await store.history(of: saved.id, "tags").count == 1)
  }

  @Test func `a default that differs each time is no edit, and foreign changes are applied`()
    async throws
  {
    try await store.create("Token", id: "t", ["count": 1])
    let objects = try await context()
    let loaded = try await objects.load("t", as: Token.self)
    #expect(try !objects.hasChanges(loaded))
    let token = UUID()
    try await store.set("t", ["token": .string(token.uuidString), "count": 2])
    try await objects.refresh()
    #expect(loaded.token == token)
    try await objects.save(loaded)
    #expect(try await store.entity("t")?["token"] == .string(token.uuidString))
  }

  @Test
  func `an edit of a property that had its default is one, also after others changed the object`()
    async throws
  {
    try await store.create("Token", id: "t", ["count": 1])
    let objects = try await context()
    let loaded = try await objects.load("t", as: Token.self)
    let token = UUID()
    loaded.token = token
    #expect(try objects.hasChanges(loaded))
    try await store.set("t", ["count": 2])
    try await objects.refresh()
    #expect(loaded.token == token)
    #expect(loaded.count == 2)
    #expect(try objects.hasChanges(loaded))
    try await objects.save(loaded)
    #expect(try await store.entity("t")?["token"] != nil)
  }

  @Test func `two properties of one name, of a class and the one above, are refused`() async throws
  {
    let objects = try await context()
    let error = await #expect(throws: VarveError.self) { try await objects.save(Doubled()) }
    #expect(error?.code == .notEncodable)
    #expect(error?.place?.hasSuffix("property secret") == true)
    #expect(try await store.count(Query("Doubled")) == 0)
  }

  @Test func `a change that could not be read is, once the child it needs has arrived`()
    async throws
  {
    let objects = try await context()
    let folder = Folder()
    folder.name = "before"
    try await objects.save(folder)
    try await store.set(folder.id, ["name": "after", "parts": .array([.reference("part")])])
    try await objects.refresh()
    #expect(folder.name == "before")
    try await store.create("Folder", id: "part", ["name": "part", "parts": .array([])])
    try await objects.refresh()
    #expect(folder.name == "after")
    #expect(folder.parts.map { $0.value.name } == ["part"])
  }

  @Test func `refreshing sees what another store on the same file has just written`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "store").path
    let (mine, others) = (try await Store.open(path), try await Store.open(path))
    let objects = try await Objects(mine)
    objects.register(Folder.self)
    let object = Folder()
    try await objects.save(object)
    for round in 0..<10 {
      try await others.set(object.id, "name", .string("\(round)"))
      try await objects.refresh()
      #expect(object.name == "\(round)")
    }
    try await mine.close()
    try await others.close()
  }
}

struct Tags: Codable, Equatable {
  struct Point: Codable, Hashable { var x: Int }
  var tags: Set<String> = []
  var sizes: [Point: String] = [:]
}

@Entity(kind: "Tagged") final class Tagged {
  var tags = Tags()
  var count = 0
  init() {}
}

@Entity(kind: "Token") final class Token {
  var token = UUID()
  var count: Int
  init() { count = 0 }
}

@Entity(kind: "Plain") class Plain {
  private var secret = "base"
  init() {}
}

@Entity(kind: "Doubled") final class Doubled: Plain {
  private var secret = "sub"
  override init() { super.init() }
}

@Entity(kind: "Folder") final class Folder {
  var name = ""
  var parts: [Child<Folder>] = []
  init() {}
}
