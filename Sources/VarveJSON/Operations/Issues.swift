import Foundation
package import VarveCore
package import VarveStore

/// `issues`: returns inconsistencies that a merge left: entities with equal values under unique
/// keys, lists that repeat targets, cycles of ownership without an owner outside, and references
/// that disagree with their edges.
struct IssuesOperation: ReadingOperation {
  static let name = "issues"
  private let uniques: [(type: EntityType, keys: [PropertyKey])]
  private let lists: [(type: EntityType, key: PropertyKey)]

  init(_ fields: inout Fields) throws {
    uniques =
      try fields.take("unique")?.elements().map { part in
        var fields = try Fields(part, of: "a unique key")
        let type = EntityType(try fields.need("type").string())
        let keys = try fields.need("keys").elements().map { PropertyKey(try $0.string()) }
        try fields.finish()
        return (type, keys)
      } ?? []
    lists =
      try fields.take("lists")?.elements().map { part in
        var fields = try Fields(part, of: "a list")
        let type = EntityType(try fields.need("type").string())
        let key = PropertyKey(try fields.need("key").string())
        try fields.finish()
        return (type, key)
      } ?? []
  }

  func read(_ state: any Reading) async throws -> JSON {
    var issues: [StoreIssue] = []
    for (type, keys) in uniques {
      issues += try await state.duplicates(of: type, keys: keys).map { .duplicate($0) }
    }
    for (type, key) in lists {
      issues += try await state.repetitions(of: type, key: key).map { .repetition($0) }
    }
    issues += try await state.ownerlessCycles().map { .ownerlessCycle($0) }
    issues += try await state.disagreements().map { .disagreement($0) }
    return .array(issues.map(\.json))
  }
}

/// `mergeDuplicates`: replaces duplicates of an entity by it, and erases them.
struct MergeDuplicatesOperation: WritingOperation {
  static let name = "mergeDuplicates"
  private let kept: Place
  private let others: [Place]
  private let policy: DuplicatePolicy

  init(_ fields: inout Fields) throws {
    kept = try Place(fields.need("into"))
    others = try fields.need("ids").elements().map { try Place($0) }
    policy = try fields.choice("policy", default: .fill)
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    var ids: [EntityID] = []
    for place in others { ids.append(try await place.id(in: transaction)) }
    let kept = try await kept.id(in: transaction)
    return try await transaction.mergeDuplicates(ids, into: kept, policy, at: time).json
  }
}

/// `makeRoot`: removes every ownership of an entity.
struct MakeRootOperation: WritingOperation {
  static let name = "makeRoot"
  private let place: Place

  init(_ fields: inout Fields) throws { place = try Place(fields.need("id")) }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    .count(try await transaction.makeRoot(place.id(in: transaction), at: time))
  }
}

/// `reconcile`: updates the edges of a reference to match it. Returns whether anything had to be
/// written.
struct ReconcileOperation: WritingOperation {
  static let name = "reconcile"
  static let isDatedAlone = false
  private let place: Place
  private let key: PropertyKey

  init(_ fields: inout Fields) throws {
    place = try Place(fields.need("id"))
    key = PropertyKey(try fields.need("key").string())
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let id = try await place.id(in: transaction)
    return .bool(try await transaction.reconcile(id, key))
  }
}

/// `removeRepetitions`: removes the elements of a list that repeat others which their authors had not
/// seen. Returns their number.
struct RemoveRepetitionsOperation: WritingOperation {
  static let name = "removeRepetitions"
  static let isDatedAlone = false
  private let place: Place
  private let key: PropertyKey

  init(_ fields: inout Fields) throws {
    place = try Place(fields.need("id"))
    key = PropertyKey(try fields.need("key").string())
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let id = try await place.id(in: transaction)
    return .count(try await transaction.removeRepetitions(of: id, key))
  }
}

/// `settle`: settles a conflict that `conflicts` lists. Returns whether anything had to be written.
struct SettleOperation: StoreOperation {
  static let name = "settle"
  static let isSigned = true
  private let id: EntityID
  private let key: PropertyKey?
  private let resolution: ConflictResolution
  private let time: Date?

  init(_ fields: inout Fields) throws {
    let named = try fields.need("id")
    id = try named.id()
    key = try fields.take("key").map { PropertyKey(try $0.string()) }
    time = try fields.take("at")?.date()
    var resolutions: [ConflictResolution] = []
    if let version = fields.take("version") { resolutions.append(.version(try version.count())) }
    if let value = fields.take("value") {
      let value = value.json == .null ? nil : try value.value()
      resolutions.append(.value(value))
    }
    if try fields.flag("death") { resolutions.append(.death) }
    if let mode: RestoreMode = try fields.choiceIfThere("restore") {
      resolutions.append(.restoring(mode))
    }
    guard let resolution = resolutions.first, resolutions.count == 1 else {
      throw Misfit(
        "one of version, value, death and restore is expected",
        at: named.path,
        remedy: "Give exactly one of these fields."
      )
    }
    self.resolution = resolution
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let conflict = try await store.conflict(id, key)
    return .bool(
      try await store.write(author: signature.author, message: signature.message, at: time) {
        try await $0.resolve(conflict, by: resolution)
      }
    )
  }
}

extension Store {
  /// Returns a conflict that is listed.
  package func conflict(_ id: EntityID, _ key: PropertyKey?) async throws -> Conflict {
    if let conflict = try await conflicts().first(where: { $0.entity == id && $0.key == key }) {
      return conflict
    }
    let what = key.map { "the property \"\($0)\"" } ?? "the life"
    throw VarveError(
      .notFound,
      "\(what) of \"\(id)\" is not in conflict",
      at: "entity \(id)",
      remedy: "`conflicts` lists the conflicts.",
      entity: id
    )
  }
}

extension Fields {
  /// Takes an optional choice among the names of an enumeration.
  fileprivate mutating func choiceIfThere<Choice: RawRepresentable & CaseIterable>(
    _ name: String
  ) throws -> Choice? where Choice.RawValue == String {
    guard let field = take(name) else { return nil }
    if let choice = Choice(rawValue: try field.string()) { return choice }
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw Misfit("one of \(names) is expected", at: field.path)
  }
}
