import Foundation
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Random mapping files, and random documents for them.
struct RandomMappings {
  var random: SplitMix64
  /// The keys that no object of the document has yet.
  private var freshKeys: [String] = []

  static let names = ["A", "B", "C"]

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  // MARK: Mappings

  /// A mapping file of three types that relate to each other.
  ///
  /// - Parameter isPlain: whether no transforms are used, and nothing but names leads to
  ///   properties.
  mutating func file(isPlain: Bool) -> JSON {
    var mappings: [JSON.Member] = []
    for name in Self.names {
      mappings.append(JSON.Member(name: name, value: mapping(isPlain: isPlain)))
    }
    return [
      "mappings": .object(mappings),
      "transforms": ["choice": ["enumeration": ["x": "ex", "y": 7, "z": "ex"]]],
      "defaults": isPlain || random.chance(70) ? [:] : ["date": "date:yyyy-MM-dd"],
      "roots": .array(Self.names.map { root($0) }),
    ]
  }

  private mutating func root(_ name: String) -> JSON {
    let root: [JSON.Member] = [
      JSON.Member(name: "pointer", value: .string("/\(name)")),
      JSON.Member(name: "mapping", value: .string(name)),
    ]
    return .object(random.chance(20) ? root + [JSON.Member(name: "keyedBy", value: "k")] : root)
  }

  private mutating func mapping(isPlain: Bool) -> JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "id", value: "k"),
      JSON.Member(name: "attributes", value: attributes(isPlain: isPlain)),
      JSON.Member(name: "relationships", value: .array(relations(isPlain: isPlain))),
    ]
    if random.chance(40) { members.append(JSON.Member(name: "missing", value: "clears")) }
    if random.chance(25) { members.append(JSON.Member(name: "complete", value: true)) }
    if !isPlain, random.chance(50) {
      let kind = random.pick(["integer", "string", "double", "date"])
      members.append(JSON.Member(name: "types", value: ["p": .string(kind)]))
    }
    return .object(members)
  }

  private mutating func attributes(isPlain: Bool) -> JSON {
    guard !isPlain else { return ["k": "k", "p": "p", "q": "q"] }
    let transforms = [
      "date", "date:yyyy-MM-dd", "epoch:seconds", "epoch:milliseconds", "integer", "double",
      "boolean", "string", "uppercase", "lowercase", "trim", "before:-", "after:-", "identity",
      "choice",
    ]
    var members = [JSON.Member(name: "k", value: "k")]
    for (path, key) in [
      ("p", "p"), (random.pick(["q", "in.q", "p.q", "all.0", "/in/d.t"]), "q"),
      (random.pick(["in.r", "all.1"]), "r"),
    ] {
      var line: [JSON.Member] = [JSON.Member(name: "to", value: .string(key))]
      if random.chance(60) {
        line.append(JSON.Member(name: "transform", value: .string(random.pick(transforms))))
      }
      if random.chance(15) {
        line.append(JSON.Member(name: "qualifiedBy", value: ["path": "k", "separator": "-"]))
      }
      members.append(JSON.Member(name: path, value: .object(line)))
    }
    return .object(members)
  }

  private mutating func relations(isPlain: Bool) -> [JSON] {
    var relations: [JSON] = []
    for key in ["one", "many", "more"] where random.chance(70) {
      let isByID = random.chance(50)
      // Two lines may read one path.
      let path = !isPlain && isByID && random.chance(20) ? "k" : key
      var line: [JSON.Member] = [
        JSON.Member(name: isByID ? "fromIds" : "from", value: .string(path)),
        JSON.Member(name: "to", value: .string(key)),
        JSON.Member(name: "mapping", value: .string(random.pick(Self.names))),
        JSON.Member(name: "policy", value: .string(random.pick(["assign", "merge", "replace"]))),
      ]
      if path == key, random.chance(20) {
        line.append(JSON.Member(name: "keyedBy", value: "k"))
      }
      if key != "one" {
        let kind = random.pick(["list", "set", "orderedSet"])
        line.append(JSON.Member(name: "many", value: .string(kind)))
      }
      if random.chance(30) {
        let kind = random.pick(["owns", "free"])
        line.append(JSON.Member(name: "declares", value: .string(kind)))
      }
      if random.chance(20) {
        let back = random.pick(["back", "again"])
        line.append(JSON.Member(name: "inverse", value: .string(back)))
      }
      if !isPlain, isByID, random.chance(40) {
        let name = random.pick(["before:-", "after:-", "string", "trim", "uppercase"])
        line.append(JSON.Member(name: "transform", value: .string(name)))
      }
      if !isPlain, isByID, random.chance(20) {
        line.append(JSON.Member(name: "qualifiedBy", value: ["path": "k", "separator": "-"]))
      }
      relations.append(.object(line))
    }
    return relations
  }

  // MARK: Documents

  private static let keys = ["a", "b", "c", "a-b", "b-c", "A-X", "d", "e", "f-a", "g"]

  private mutating func key() -> JSON { .string(random.pick(Self.keys)) }

  private mutating func scalar() -> JSON {
    random.pick([
      .null, .integer(7), .integer(1_713_184_245_123), .fraction(2.5), .string("x"), .string("y"),
      .string("  t "), .string("007"), .string("12"), .string("2024-02-29"), .bool(true),
      .string("2024-02-29T10:11:12.345Z"), .string("Ab-Cd"), .string("a"),
    ])
  }

  /// A document for a mapping file of ``file(isPlain:)``: it describes each entity once, and names
  /// it any number of times.
  mutating func document() -> JSON {
    freshKeys = Self.keys.shuffled(using: &random)
    var members: [JSON.Member] = []
    for name in Self.names where random.chance(85) {
      if random.chance(20) {
        members.append(JSON.Member(name: name, value: keyed(depth: 0, count: 4)))
        continue
      }
      var objects: [JSON] = []
      for _ in 0..<Int.random(in: 0...4, using: &random) where !freshKeys.isEmpty {
        objects.append(object(depth: 0))
      }
      members.append(JSON.Member(name: name, value: .array(objects)))
    }
    return .object(members)
  }

  /// An object, or only a key if all keys have objects already.
  private mutating func object(depth: Int) -> JSON {
    guard let key = freshKeys.popLast() else { return self.key() }
    var members = [JSON.Member(name: "k", value: .string(key))]
    for name in ["p", "q"] where random.chance(60) {
      members.append(JSON.Member(name: name, value: scalar()))
    }
    if random.chance(50) {
      members.append(
        JSON.Member(name: "in", value: ["q": scalar(), "r": scalar(), "d.t": scalar()])
      )
    }
    if random.chance(30) {
      let count = Int.random(in: 0...3, using: &random)
      members.append(
        JSON.Member(name: "all", value: .array((0..<count).map { _ in scalar() }))
      )
    }
    for name in ["one", "many", "more"] where random.chance(60) {
      members.append(JSON.Member(name: name, value: targets(depth: depth)))
    }
    return .object(members)
  }

  private mutating func targets(depth: Int) -> JSON {
    func target(_ self: inout RandomMappings) -> JSON {
      self.random.chance(depth < 2 ? 50 : 100) ? self.key() : self.object(depth: depth + 1)
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .null
    case 1: return []
    case 2, 3: return target(&self)
    case 4: return keyed(depth: depth, count: 3)
    default: return .array((0..<Int.random(in: 1...3, using: &random)).map { _ in target(&self) })
    }
  }

  /// An object whose members are objects.
  private mutating func keyed(depth: Int, count: Int) -> JSON {
    var members: [JSON.Member] = []
    for _ in 0..<Int.random(in: 0...count, using: &random) {
      switch random.chance(depth < 2 ? 70 : 0) ? object(depth: depth + 1) : key() {
      case .object(let content):
        guard case .string(let name)? = content.first?.value else { continue }
        let keepsKey = random.chance(20)
        members.append(
          JSON.Member(name: name, value: .object(keepsKey ? content : Array(content.dropFirst())))
        )
      case .string(let name):
        members.append(JSON.Member(name: name, value: random.pick([true, .null])))
      default: break
      }
    }
    var names: Set<String> = []
    return .object(members.filter { names.insert($0.name).inserted })
  }

  // MARK: Stores

  /// A value that occurs in no document.
  private mutating func value() -> Value {
    let seconds = Double.random(in: -1e9...1e9, using: &random)
    return random.pick([
      .int(7), .double(2.5), .double(.nan), .double(3), .string("x"), .string("Mixed Case"),
      .string("a-b"), .string("007"), .bool(false), .data(Data([1, 2])), .reference("none"),
      .date(Date(timeIntervalSinceReferenceDate: seconds)),
      .date(Date(timeIntervalSinceReferenceDate: seconds.rounded())),
      .date(Date(timeIntervalSinceReferenceDate: (seconds * 1_000).rounded() / 1_000)),
      .date(Date(timeIntervalSinceReferenceDate: (seconds / 86_400).rounded() * 86_400)),
      .array([.int(1), .string("b")]), .dictionary(["a": .double(0.5)]), .string("ex"),
    ])
  }

  /// Changes imported entities in ways that no document does.
  mutating func disturb(_ store: Store) async throws {
    for name in Self.names {
      let type = EntityType(name)
      let ids = try await store.fetch(Query(type)).map(\.id)
      for id in ids {
        if random.chance(40) {
          let key = PropertyKey(random.pick(["p", "q", "r"]))
          try await store.set(id, key, value())
        }
        if random.chance(6) { try await store.set(id, "k", random.pick([.string("a"), .int(4)])) }
        if random.chance(6) { try await store.remove(id, "k") }
        if random.chance(10) { try await store.set(id, "one", .reference(random.pick(ids))) }
      }
    }
  }
}
