import VarveCore
package import VarveStore
import VarveTestSupport

/// The results of all reads of one state, as lines. They are the same for the same state in any
/// store.
package struct StorePortrait: Hashable, Sendable {
  package private(set) var lines: [String] = []

  /// Reads one state of a store.
  ///
  /// - Parameter queries: the seed of the queries.
  package init(_ view: PastState, _ cast: StoreCast, queries: UInt64) async throws {
    var portrait = StorePortrait()
    try await view.read { snapshot in
      try await portrait.overview(snapshot, cast)
      for id in cast.all { try await portrait.describe(id, snapshot, cast) }
      try await portrait.describeModels(snapshot, cast)
      try await portrait.query(snapshot, cast, seed: queries)
    }
    for conflict in try await view.conflicts() where conflict.kind == .value {
      portrait.add(conflict)
    }
    self = portrait
  }

  /// Reads the present of a store, including what only the present has.
  package init(of store: Store, _ cast: StoreCast, queries: UInt64) async throws {
    self = try await StorePortrait(store.asOf(Moment.now), cast, queries: queries)
    for conflict in try await store.conflicts() where conflict.kind == .death { add(conflict) }
    for replica in try await store.replicas() where replica.commitCount > 0 {
      add("replica \(replica.id) \(replica.commitCount) \(replica.state)")
    }
    // Entities count by their present types, so that of a past state changes.
    for type in cast.types {
      let timeline = try await store.timeline(of: .type(type), intervals: 7)
      add("\(Self.typePrefix)\(type): \(timeline.intervals.map(\.count))")
    }
  }

  private static let typePrefix = "type timeline of "

  private init() {}

  mutating func add(_ line: String) { lines.append(line) }

  /// The lines that stay true when the state is a past one: those without deaths, replicas and
  /// timelines of types.
  package var past: [String] { lines(without: ["death ", "replica ", Self.typePrefix]) }

  /// Returns the lines; without those that list commits if some have not taken effect.
  func lines(havingAll: Bool) -> [String] {
    havingAll ? lines : lines(without: ["commit ", "replica ", Self.typePrefix])
  }

  private func lines(without prefixes: [String]) -> [String] {
    lines.filter { line in !prefixes.contains { line.hasPrefix($0) } }
  }

  /// Returns the first difference from another portrait, or nil if there is none.
  package func firstDifference(from other: StorePortrait) -> String? {
    Self.firstDifference(lines, other.lines)
  }

  package static func firstDifference(_ lines: [String], _ others: [String]) -> String? {
    guard lines != others else { return nil }
    let same = zip(lines, others).prefix { $0 == $1 }.count
    func line(_ lines: [String]) -> String { same < lines.count ? lines[same] : "(the end)" }
    return "1: \(line(lines))\n2: \(line(others))"
  }
}

extension StorePortrait {
  private mutating func overview(_ state: Snapshot, _ cast: StoreCast) async throws {
    add("types \(try await state.types().map { "\($0.type) \($0.count)" })")
    add("ids \(try await state.allIDs())")
    // Arrival order differs between stores.
    for commit in try await state.log().sorted(by: { $0.id < $1.id }) {
      add("commit \(Text.name(commit)) \(commit.operationCount) \(commit.author ?? "")")
    }
    try await draw(.store, state)
    for id in cast.all.prefix(2) { try await draw(.entity(id), state) }
    for cycle in try await state.ownerlessCycles() { add("cycle \(cycle.members)") }
    for type in cast.types {
      for double in try await state.duplicates(of: type, keys: [cast.keys[0]]) {
        add("double \(double.entities) \(double.values.map { $0.map(Text.of) ?? "-" })")
      }
    }
  }

  private mutating func draw(_ subject: Timeline.Subject, _ state: Snapshot) async throws {
    let timeline = try await state.timeline(of: subject, intervals: 7, by: .author)
    let series = timeline.series.map { "\($0.name ?? "") \($0.counts)" }
    add("commit timeline of \(subject): \(timeline.intervals.map(\.count)) \(series)")
  }

  private mutating func describe(
    _ id: EntityID,
    _ state: Snapshot,
    _ cast: StoreCast
  ) async throws {
    add("\(id) is \(try await state.status(of: id))")
    if let entity = try await state.entity(id) {
      add("\(id) \(entity.type) \(Text.of(entity.datestamp)) \(Text.of(entity.modified))")
      for key in entity.keys {
        guard let property = entity.property(key) else { continue }
        add("\(id).\(key) \(Text.of(property))")
      }
      let preview = try await state.previewErasure(of: [id])
      let deaths = preview.deaths.map { "\($0.id) of \($0.owners)" }
      let survivors = preview.survivors.map { "\($0.id) of \($0.owners)" }
      add("\(id) would take \(deaths), and leave \(survivors)")
    }
    try await describeRelations(of: id, state, cast)
    for key in cast.collections + cast.keys + ["shelf"] {
      guard let elements = try await state.collection(of: id, key) else { continue }
      let distinct = try await state.collection(of: id, key, as: .orderedSet) ?? []
      add("\(id).\(key) holds \(elements), \(distinct)")
    }
    try await describeHistory(of: id, state, cast)
  }

  private mutating func describeRelations(
    of id: EntityID,
    _ state: Snapshot,
    _ cast: StoreCast
  ) async throws {
    for kind in RelationKind.allCases {
      let all = try await state.relatedIDs(id, kind)
      guard !all.isEmpty else { continue }
      let live = try await state.related(id, kind).map(\.id)
      add("\(id) \(kind): \(all), \(live), \(try await state.relatedCount(id, kind))")
      for name in cast.names + ["caps"] {
        let named = try await state.relatedIDs(id, kind, named: name)
        if !named.isEmpty { add("\(id) \(kind) \(name): \(named)") }
      }
    }
  }

  private mutating func describeHistory(
    of id: EntityID,
    _ state: Snapshot,
    _ cast: StoreCast
  ) async throws {
    let versions = try await state.history(of: id)
    for line in Text.inOrder(versions) { add("\(id) history \(line)") }
    for key in cast.keys + cast.collections where versions.contains(where: { $0.key == key }) {
      for line in Text.inOrder(try await state.history(of: id, key)) {
        add("\(id).\(key) history \(line)")
      }
    }
  }

  private mutating func describeModels(_ state: Snapshot, _ cast: StoreCast) async throws {
    // Entities that other writers left may not be valid models.
    for stall in try await state.fetch(Stall.all.with(\.caps).with(\.shelf)) {
      add(
        "stall \(stall.id) \(stall.name) \(stall.caps.ids ?? []) \(stall.shelf.ids ?? [])"
      )
    }
    for cap in try await state.fetch(Cap.all.order(by: \.color)) {
      add("cap \(cap.id) \(cap.color) \(cap.size ?? 0) \(cap.stall.map(\.description) ?? "-")")
    }
    for (type, key) in cast.types.flatMap({ type in cast.collections.map { (type, $0) } }) {
      let repetitions = try await state.repetitions(of: type, key: key)
      for one in repetitions.sorted(by: { ($0.entity, $0.target) < ($1.entity, $1.target) }) {
        add("repetition \(one.entity).\(key) \(one.target) \(one.count) \(one.meantCount)")
      }
    }
    for issue in try await state.issues(of: Cap.self) { add("issue \(issue)") }
    for issue in try await state.issues(of: Stall.self) { add("issue \(issue)") }
  }

  private mutating func query(_ state: Snapshot, _ cast: StoreCast, seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    for number in 0..<6 {
      let query = random.query(cast.generator)
      let found = try await state.fetch(query).map(\.id)
      add("query \(number) of \(seed): \(found), \(try await state.count(query))")
    }
  }

  private mutating func add(_ conflict: Conflict) {
    let versions = conflict.versions.map { Text.of($0.content) }
    add(
      "\(conflict.kind) conflict \(conflict.entity).\(conflict.key?.text ?? "")"
        + " \(versions) \(conflict.erased)"
    )
  }
}
