import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveStore
import VarveTestSupport

@Suite("Import reports")
struct ImportReportTests {
  private static let names = ["a", "b", "c", "d", "e", "f"]

  // MARK: Named cases

  private func mappings(_ policy: RelationPolicy, _ kind: CollectionKind?) -> Mappings {
    let mapping = Mapping("T", identifiedBy: "k") {
      Attribute("k")
      Attribute("p")
      if let kind {
        ToMany(ids: "to", of: "T", as: kind, policy: policy).declaring(.free).inverse("back")
      } else {
        ToOne(id: "to", of: "T", policy: policy).declaring(.free).inverse("back")
      }
    }
    var mappings = Mappings([mapping])
    mappings.roots = [.init(as: "T")]
    return mappings
  }

  @Test(
    "count a stub under an identifier that was erased, or only named, as a stub and nothing else",
    arguments: RelationPolicy.allCases,
    [nil, .list, .set, .orderedSet] as [CollectionKind?]
  )
  func revivedStub(policy: RelationPolicy, kind: CollectionKind?) async throws {
    for wasErased in [true, false] {
      let store = try await makeStore()
      if wasErased {
        try await store.create("T", id: "T/b", ["k": "b", "p": 1])
        try await store.erase("T/b")
      } else {
        try await store.create("Other", id: "other")
        try await store.setCollection("other", "list", to: ["T/b"])
      }
      let mappings = mappings(policy, kind)
      let document = #"[{"k": "a", "to": ["b"]}]"#
      let compared = try await ComparedImport(document, by: mappings, into: store)
      #expect(compared.differences == [])
      #expect(compared.report.createdCount == 1 && compared.report.stubCount == 1)
      #expect(compared.report.changedCount == 0 && compared.report.unchangedCount == 0)
      try await store.close()
    }
  }

  @Test(
    "count an object about an erased entity as created, whatever other objects say of it",
    arguments: RelationPolicy.allCases
  )
  func revivedObject(policy: RelationPolicy) async throws {
    let store = try await makeStore()
    try await store.create("T", id: "T/b", ["k": "b", "p": 1])
    try await store.erase("T/b")
    var mappings = mappings(policy, .list)
    mappings.roots = [.init(at: "/x", as: "T"), .init(at: "/y", as: "T")]
    let text = #"{"x": [{"k": "a", "to": ["b"]}], "y": [{"k": "b", "p": 2}, {"k": "b", "p": 3}]}"#
    let compared = try await ComparedImport(text, by: mappings, into: store)
    #expect(compared.differences == [])
    #expect(compared.report.createdCount == 2 && compared.report.stubCount == 0)
    #expect(compared.report.changedCount == 0 && compared.report.unchangedCount == 0)
    try await store.close()
  }

  @Test("list the references and relations of new entities", arguments: RelationPolicy.allCases)
  func references(policy: RelationPolicy) async throws {
    for kind in [nil, .list] as [CollectionKind?] {
      let store = try await makeStore()
      var options = ImportOptions()
      options.isDryRun = true
      let text = #"[{"k": "a", "p": 1, "to": "b"}]"#
      let report = try await store.import(
        DocumentSource(text: text),
        by: mappings(policy, kind),
        options
      )
      let new = try #require(report.changes.first { $0.id == "T/a" })
      #expect(new.keys == ["k", "p", "to"])
      #expect(new.properties["to"]?.new == (kind == nil ? .reference("T/b") : nil))
      #expect(new.collections["to"]?.new == (kind == nil ? nil : ["T/b"]))
      let stub = try #require(report.changes.first { $0.id == "T/b" })
      #expect(stub.properties["back"]?.new == .reference("T/a"))
      try await store.close()
    }
  }

  @Test("list the elements of to-many properties, at present and for a past time")
  func elements() async throws {
    let store = try await makeStore()
    try await store.import(
      DocumentSource(text: #"[{"k": "a", "to": ["b", "c"]}, {"k": "d", "to": ["b"]}]"#),
      by: mappings(.assign, .list)
    )
    for time in [nil, Date(timeIntervalSince1970: 3_000_000_000)] as [Date?] {
      var options = ImportOptions()
      options.isDryRun = true
      options.time = time
      let report = try await store.import(
        DocumentSource(text: #"[{"k": "a", "to": ["c", "d"]}, {"k": "d", "to": ["b"]}]"#),
        by: mappings(.assign, .list),
        options
      )
      let change = try #require(report.changes.first { $0.id == "T/a" })
      #expect(change.collections["to"]?.old == ["T/b", "T/c"])
      #expect(change.collections["to"]?.new == ["T/c", "T/d"])
      #expect(change.properties.isEmpty)
      #expect(report.changes.first { $0.id == "T/d" }?.collections["to"] == nil)
    }
    try await store.close()
  }

  // MARK: Random imports

  @Test("agree with the difference between the states", arguments: 0..<60 as Range<UInt64>)
  func random(seed: UInt64) async throws { try await Self.play(seed: seed) }

  fileprivate static func play(seed: UInt64) async throws {
    var random = RandomMappings(seed: seed)
    let clock = TestClock()
    let store = try await makeStore(clock)
    let file = random.file(isPlain: true)
    let mappings = try Mappings(json: file)
    for round in 0..<4 {
      clock.advance(by: 10)
      let document = random.document()
      let compared = try await ComparedImport(document.text, by: mappings, into: store)
      guard compared.differences.isEmpty else {
        Issue.record(
          "seed \(seed), round \(round): \(compared.differences)\n\(file.text)\n\(document.text)"
        )
        return
      }
      try await random.disturb(store)
      for id in try await store.allIDs() where random.random.chance(20) {
        try await store.erase(id)
      }
    }
    try await store.close()
  }
}

@Suite(
  "Soak: import reports",
  .enabled(if: ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1")
)
struct ImportReportSoakTests {
  @Test("agree with the difference between the states", arguments: 10..<40 as Range<UInt64>)
  func random(part: UInt64) async throws {
    for seed in part * 100..<part * 100 + 100 { try await ImportReportTests.play(seed: seed) }
  }
}

/// An import whose report, and that of a dry run before it, are compared with the states.
private struct ComparedImport {
  let report: ImportReport
  /// The to-many relations from which the import removed elements. If those were dead, no reader
  /// sees a difference.
  private var emptied: Set<Slot> = []
  /// The differences between the reports and the states.
  private(set) var differences: [String] = []

  private struct Slot: Hashable {
    let entity: EntityID
    let key: PropertyKey
  }

  init(_ text: String, by mappings: Mappings, into store: Store) async throws {
    var options = ImportOptions()
    options.isDryRun = true
    let dry = try await store.import(DocumentSource(text: text), by: mappings, options)
    let before = try await store.frontier()
    report = try await store.import(DocumentSource(text: text), by: mappings)
    let actual = try await store.diff(from: .frontier(before))
    for change in dry.changes where change.kind == .changed {
      for key in change.keys {
        for version in try await store.history(of: change.id, key)
        where version.commit.id == report.commit?.id {
          guard case .remove = version.content else { continue }
          emptied.insert(Slot(entity: change.id, key: key))
        }
      }
    }
    compare(dry, actual, mappings)
    for (name, one, other) in [
      ("created", dry.createdCount, report.createdCount),
      ("changed", dry.changedCount, report.changedCount),
      ("unchanged", dry.unchangedCount, report.unchangedCount),
      ("ended", dry.endedCount, report.endedCount), ("stubs", dry.stubCount, report.stubCount),
    ] where one != other {
      differences.append("the dry run says \(one) \(name), the import \(other)")
    }
  }

  private mutating func compare(_ dry: ImportReport, _ actual: Difference, _ mappings: Mappings) {
    let turned = Set((actual.added + actual.ended).map(\.id))
    let changed = actual.changed.filter { $0.isOwnChange(besides: turned) }
    let seen = Set(changed.map(\.id))
    let unseen = dry.changes.filter { change in
      change.kind == .changed && !seen.contains(change.id)
        && change.keys.allSatisfy {
          emptied.contains(Slot(entity: change.id, key: $0))
        }
    }.map(\.id)
    expect(dry.createdCount + dry.stubCount, "created", actual.added.count)
    expect(dry.changedCount, "changed", changed.count + unseen.count)
    expect(dry.endedCount, "ended", actual.ended.count)
    let lists: [(ImportReport.Change.Kind, [EntityDifference])] = [
      (.created, actual.added), (.changed, changed), (.ended, actual.ended),
    ]
    for (kind, entities) in lists {
      let listed = dry.changes.filter { $0.kind == kind && !unseen.contains($0.id) }
      let names = (listed.map(\.id).sorted(), entities.map(\.id).sorted())
      if names.0 != names.1 { differences.append("\(kind): listed \(names.0), in fact \(names.1)") }
      guard kind != .ended else { continue }
      for change in listed {
        guard let entity = entities.first(where: { $0.id == change.id }) else { continue }
        compare(change, entity, besides: turned)
      }
    }
  }

  private mutating func expect(_ count: Int, _ name: String, _ actual: Int) {
    if count != actual { differences.append("\(count) counted as \(name), in fact \(actual)") }
  }

  private mutating func compare(
    _ change: ImportReport.Change,
    _ entity: EntityDifference,
    besides turned: Set<EntityID>
  ) {
    for property in entity.properties {
      guard let listed = change.properties[property.key] else {
        differences.append("\(change.id).\(property.key) is not listed")
        continue
      }
      if listed.old != property.old?.value || listed.new != property.new?.value {
        differences.append("\(change.id).\(property.key) is listed as \(listed)")
      }
    }
    for list in entity.collections
    where change.collections[list.key] == nil && !list.isEqual(besides: turned) {
      differences.append("\(change.id).\(list.key) is not listed")
    }
    let known = Set(
      entity.properties.map(\.key) + entity.collections.map(\.key)
        + (entity.related + entity.unrelated).map(\.relation.name)
    )
    for key in change.keys
    where !known.contains(key) && !emptied.contains(Slot(entity: change.id, key: key)) {
      differences.append("\(change.id).\(key) is listed, and did not change")
    }
  }
}

extension ElementsDifference {
  /// Whether the lists differ only by elements that came to life or died.
  fileprivate func isEqual(besides turned: Set<EntityID>) -> Bool {
    guard let old, let new else { return false }
    return old.filter { !turned.contains($0) } == new.filter { !turned.contains($0) }
  }
}

extension EntityDifference {
  /// Whether the entity differs by more than the lives of its targets.
  fileprivate func isOwnChange(besides turned: Set<EntityID>) -> Bool {
    !properties.isEmpty || collections.contains { !$0.isEqual(besides: turned) }
      || (related + unrelated).contains { !turned.contains($0.target) }
  }
}
