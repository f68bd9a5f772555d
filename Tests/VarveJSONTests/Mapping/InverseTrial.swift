import Foundation
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Two types whose relations may be inverses of each other, by one configuration, and random
/// documents, each imported three times.
struct InverseTrial {
  /// The choices of a configuration; each is the index of one of its values.
  struct Configuration: CustomStringConvertible {
    static let counts = [4, 4, 3, 3, 3, 3, 2, 2, 2, 3]
    let choices: [Int]

    private static let kinds: [CollectionKind?] = [nil, .list, .set, .orderedSet]

    var lines: [InverseFold.Line] {
      [0, 1].map { side in
        InverseFold.Line(
          key: side == 0 ? "b" : "a",
          many: Self.kinds[choices[side]],
          policy: RelationPolicy.allCases[choices[2 + side]],
          inverse: choices[4] == 2 - side ? nil : side == 0 ? "a" : "b"
        )
      }
    }

    /// Whether objects stand in one root, in two roots, or inside each other.
    var layout: Layout { Layout.allCases[choices[5]] }
    func clears(_ side: Int) -> Bool { choices[6 + side] == 1 }
    var isDated: Bool { choices[8] == 1 }

    /// The kinds of the edges that the sides' relations declare.
    var edges: [RelationKind?] { [[nil, nil], [.owns, .free], [.free, .owns]][choices[9]] }

    var description: String {
      "\(lines) \(layout), clears \(clears(0)) \(clears(1)), dated \(isDated), edges \(edges)"
    }
  }

  enum Layout: CaseIterable { case parents, children, nested }

  private static let names = [["a1", "a2", "a3"], ["b1", "b2", "b3"]]
  private let configuration: Configuration
  private let lines: [InverseFold.Line]
  private var random: SplitMix64

  init(_ configuration: Configuration, seed: UInt64) {
    self.configuration = configuration
    lines = configuration.lines
    random = SplitMix64(seed: seed)
  }

  /// Imports documents. Throws if one has another effect than its definition says, or an effect
  /// when it is imported again.
  mutating func run() async throws {
    let mappings = try Mappings(json: file)
    let store = try await makeStore()
    var options = ImportOptions()
    if configuration.isDated {
      options.time = try .iso("2010-01-01T00:00:00Z")
      try await store.import(
        ["As": .array(Self.bare(0)), "Bs": .array(Self.bare(1))],
        by: mappings,
        options
      )
      try await store.set("A/a1", "later", true)
    }
    var fold = InverseFold(lines)
    for round in 1...3 {
      if configuration.isDated { options.time = try .iso("201\(round)-01-01T00:00:00Z") }
      var sayings: [InverseFold.Saying] = []
      let document = document(&sayings)
      fold.take(sayings)
      for time in 1...3 {
        let commit = try await store.import(document, by: mappings, options).commit
        let state = options.time
        let found = try await content(state.map { try store.asOf($0) } ?? store.asOf(Moment.now))
        let expected = content(fold)
        try await checkEdges(expected, in: store)
        guard found == expected, time == 1 || commit == nil else {
          throw VarveError(
            .invalidArgument,
            "\(document.text) of round \(round), imported the \(time). time, "
              + "commit \(commit != nil): is \(found), not \(expected)"
          )
        }
      }
    }
    let findings = try await store.check().findings
    guard findings.isEmpty else { throw VarveError(.invalidArgument, "\(findings)") }
  }

  // MARK: Contents

  /// Throws if the declared edges of a relation do not lead to its targets.
  private func checkEdges(
    _ content: [InverseFold.Slot: [String]],
    in store: Store
  ) async throws {
    for (side, kind) in configuration.edges.enumerated() {
      guard let kind else { continue }
      for name in Self.names[side] {
        let key = lines[side].key
        let id = try EntityID("\(side == 0 ? "A" : "B")/\(name)")
        let edges = try await store.relatedIDs(id, kind, named: PropertyKey(key))
        let targets = content[.init(entity: name, key: key)] ?? []
        guard Set(edges.map { String($0.text.dropFirst(2)) }) == Set(targets) else {
          throw VarveError(.invalidArgument, "\(name).\(key) is \(targets), its edges \(edges)")
        }
      }
    }
  }

  private func content(_ state: some Reading) async throws -> [InverseFold.Slot: [String]] {
    var content: [InverseFold.Slot: [String]] = [:]
    for (side, line) in lines.enumerated() {
      for name in Self.names[side] {
        let id = try EntityID("\(side == 0 ? "A" : "B")/\(name)")
        let key = PropertyKey(line.key)
        let ids: [EntityID]
        if line.many == nil {
          ids = [try await state.require(id)[key]?.referenceValue].compactMap(\.self)
        } else {
          ids = try await state.collection(of: id, key) ?? []
        }
        let targets = ids.map { String($0.text.dropFirst(2)) }
        content[.init(entity: name, key: line.key)] = InverseFold.plain(targets, line.many)
      }
    }
    return content
  }

  private func content(_ fold: InverseFold) -> [InverseFold.Slot: [String]] {
    var content: [InverseFold.Slot: [String]] = [:]
    for (side, line) in lines.enumerated() {
      for name in Self.names[side] {
        let slot = InverseFold.Slot(entity: name, key: line.key)
        content[slot] = InverseFold.plain(fold.content[slot] ?? [], line.many)
      }
    }
    return content
  }

  // MARK: Mappings

  private var file: JSON {
    func mapping(_ side: Int) -> JSON {
      let line = lines[side]
      var relation: [JSON.Member] = [
        .init(name: "from", value: .string(line.key)),
        .init(name: "mapping", value: side == 0 ? "B" : "A"),
        .init(name: "policy", value: .string(line.policy.rawValue)),
      ]
      if let many = line.many {
        relation.append(.init(name: "many", value: .string(many.rawValue)))
      }
      if let kind = configuration.edges[side] {
        relation.append(.init(name: "declares", value: .string(kind == .owns ? "owns" : "free")))
      }
      if let inverse = line.inverse {
        relation.append(.init(name: "inverse", value: .string(inverse)))
      }
      return [
        "id": "id", "attributes": ["id": "id"], "relationships": [.object(relation)],
        "missing": .string(configuration.clears(side) ? "clears" : "keeps"),
      ]
    }
    var roots: [JSON] = [
      ["pointer": "/As", "mapping": "A"], ["pointer": "/Bs", "mapping": "B"],
    ]
    if configuration.layout == .children { roots.reverse() }
    return ["mappings": ["A": mapping(0), "B": mapping(1)], "roots": .array(roots)]
  }

  // MARK: Documents

  /// Returns the names of a side, which describe nothing, so that no entity ends.
  private static func bare(_ side: Int) -> [JSON] { names[side].map { .string($0) } }

  private mutating func document(_ sayings: inout [InverseFold.Saying]) -> JSON {
    var parts: [JSON] = []
    let sides = configuration.layout == .children ? [1, 0] : [0, 1]
    for side in sides {
      var objects: [JSON] = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        objects.append(object(side, depth: 0, &sayings))
      }
      parts.append(.array(objects + Self.bare(side)))
    }
    return .object(
      zip(sides, parts).map { JSON.Member(name: $0 == 0 ? "As" : "Bs", value: $1) }
    )
  }

  /// Returns an object. What it states follows what the objects in it state.
  private mutating func object(
    _ side: Int,
    depth: Int,
    _ sayings: inout [InverseFold.Saying]
  ) -> JSON {
    let name = random.pick(Self.names[side])
    let slot = InverseFold.Slot(entity: name, key: lines[side].key)
    var members = [JSON.Member(name: "id", value: .string(name))]
    guard random.chance(75) else {
      if configuration.clears(side) { sayings.append(.init(slot: slot, targets: nil)) }
      return .object(members)
    }
    guard random.chance(85) else {
      members.append(JSON.Member(name: slot.key, value: .null))
      sayings.append(.init(slot: slot, targets: nil))
      return .object(members)
    }
    var elements: [JSON] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let isNested = configuration.layout == .nested && depth < 2 && random.chance(60)
      elements.append(
        isNested
          ? object(1 - side, depth: depth + 1, &sayings)
          : .string(random.pick(Self.names[1 - side]))
      )
    }
    let targets = elements.map { element in
      if case .string(let name) = element { return name }
      if case .string(let name)? = element["id"] { return name }
      return ""
    }
    members.append(JSON.Member(name: slot.key, value: .array(elements)))
    sayings.append(.init(slot: slot, targets: targets))
    return .object(members)
  }
}
