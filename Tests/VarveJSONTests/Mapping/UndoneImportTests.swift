import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

/// Random imports by a mapping whose relations own, each undone.
@Suite("Undoing an import")
struct UndoneImportTests {
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `undoing an import restores the state before it, in its order`(seed: UInt64) async throws {
    try await UndoneImports(seed: seed).run()
  }
}

@Suite(
  "Soak: undoing imports",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct UndoneImportSoakTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `soak: undoing imports restores the state before them`(part: UInt64) async throws {
    for seed in 1_000 + part * 100..<1_100 + part * 100 {
      try await UndoneImports(seed: seed).run()
    }
  }
}

/// One store that imports documents, and undoes each import.
private struct UndoneImports {
  private static let names = ["a", "b", "c", "d", "e", "f"]
  private let seed: UInt64
  private var random: SplitMix64

  init(seed: UInt64) {
    self.seed = seed
    random = SplitMix64(seed: seed)
  }

  func run() async throws {
    var walk = self
    try await walk.play()
  }

  private mutating func play() async throws {
    let clock = TestClock()
    let store = try await makeStore(clock)
    let file = file()
    let mappings = try Mappings(json: file)
    try await store.import(document(), by: mappings)
    for _ in 0..<5 {
      clock.advance(by: 10)
      try await disturb(store)
      let before = try await Likeness(of: store)
      let document = document()
      guard let commit = try await store.import(document, by: mappings).commit else { continue }
      let after = try await Likeness(of: store)
      let place = "seed \(seed): \(file.text)\n\(document.text)"
      let report = try await store.undo(commit.id)
      try await expect(before, in: store, report, "undone, \(place)")
      guard let undo = report.commit else { continue }
      let again = try await store.undo(undo.id)
      try await expect(after, in: store, again, "done again, \(place)")
    }
    #expect(try await store.check().findings == [])
  }

  private func expect(
    _ expected: Likeness,
    in store: Store,
    _ report: UndoReport,
    _ place: String
  ) async throws {
    let likeness = try await Likeness(of: store)
    // Skipped changes concern only dead entities, which a reader does not see.
    let isRight = likeness == expected && report.skipped.allSatisfy { $0.key == nil }
    let difference = likeness.difference(from: expected)
    #expect(isRight, "\(place)\n\(difference) skipped \(report.skipped)")
  }

  /// Makes changes that no document makes: erases and restores entities, and changes owners.
  private mutating func disturb(_ store: Store) async throws {
    for name in Self.names where random.chance(30) {
      let id = try EntityID("T/\(name)")
      let other = try EntityID("T/\(random.pick(Self.names))")
      do {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: try await store.erase(id)
        case 2: try await store.restore(id, random.pick(RestoreMode.allCases))
        default:
          // Relations list unknown entities, but not erased ones such as undone creations.
          guard try await store.entity(id) != nil, try await store.entity(other) != nil else {
            continue
          }
          try await store.relate(id, .owns, other, named: "parts")
        }
      } catch let error as VarveError where [.notFound, .ownersDead].contains(error.code) {
      }
    }
  }

  private mutating func file() -> JSON {
    func line(_ key: String, _ kind: String, _ many: String?) -> JSON {
      let policy = random.chance(75) ? "replace" : random.pick(["assign", "merge"])
      var members = [
        JSON.Member(name: "from", value: .string(key)), JSON.Member(name: "mapping", value: "T"),
        JSON.Member(name: "policy", value: .string(policy)),
        JSON.Member(name: "declares", value: .string(kind)),
      ]
      if let many { members.append(JSON.Member(name: "many", value: .string(many))) }
      return .object(members)
    }
    let all = [
      line("owner", "ownedBy", nil), line("parts", "owns", random.pick(["list", "set"])),
      line("cover", "owns", nil), line("seen", "free", "orderedSet"),
    ]
    let mapping: JSON = [
      "id": "k", "attributes": ["k": "k", "p": "p", "q": "q"],
      "relationships": .array(all.filter { _ in random.chance(75) }),
      "missing": .string(random.pick(["keeps", "clears"])), "complete": .bool(random.chance(30)),
    ]
    return ["mappings": ["T": mapping], "roots": [["mapping": "T"]]]
  }

  private mutating func document() -> JSON {
    var objects: [JSON] = []
    for name in Self.names.shuffled(using: &random) where random.chance(60) {
      var members = [JSON.Member(name: "k", value: .string(name))]
      for key in ["p", "q"] where random.chance(60) {
        members.append(JSON.Member(name: key, value: .integer(random.pick([1, 2, 3]))))
      }
      for key in ["owner", "cover"] where random.chance(40) {
        members.append(JSON.Member(name: key, value: .string(random.pick(Self.names))))
      }
      for key in ["parts", "seen"] where random.chance(40) {
        let count = Int.random(in: 0...3, using: &random)
        let keys = (0..<count).map { _ in JSON.string(random.pick(Self.names)) }
        members.append(JSON.Member(name: key, value: .array(keys)))
      }
      objects.append(.object(members))
    }
    return .array(objects)
  }

  /// The state of the entities that documents name, as a reader sees it.
  private struct Likeness: Equatable {
    var lines: [String] = []

    init(of store: Store) async throws {
      for id in try UndoneImports.names.map({ try EntityID("T/\($0)") }) {
        guard let entity = try await store.entity(id) else {
          lines.append("\(id) is not there")
          continue
        }
        for key in entity.keys { lines.append("\(id).\(key) = \(entity[key]?.description ?? "")") }
        for key in ["owner", "parts", "cover", "seen"] as [PropertyKey] {
          if let elements = try await store.collection(of: id, key) {
            lines.append("\(id).\(key): \(elements)")
          }
          for kind in [.owns, .free] as [RelationKind] {
            let related = try await store.relatedIDs(id, kind, named: key)
            if !related.isEmpty { lines.append("\(id) \(kind) by \(key): \(related)") }
          }
        }
      }
    }

    func difference(from other: Likeness) -> String {
      "has \(lines.filter { !other.lines.contains($0) }), not "
        + "\(other.lines.filter { !lines.contains($0) })"
    }
  }
}
