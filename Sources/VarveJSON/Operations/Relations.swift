import Foundation
import VarveCore
import VarveReferences
import VarveStore

/// The fields of `relate` and `unrelate`.
private struct EdgeInput: Sendable {
  let from: Place
  let kind: RelationKind
  let to: Place
  let name: PropertyKey

  init(_ fields: inout Fields) throws {
    from = try Place(fields.need("from"))
    kind = try fields.choice("kind")
    to = try Place(fields.need("to"))
    name = PropertyKey(try fields.take("named")?.name() ?? "")
  }
}

/// `relate`: adds a relation, if it does not exist.
struct RelateOperation: WritingOperation {
  static let name = "relate"
  private let edge: EdgeInput

  init(_ fields: inout Fields) throws { edge = try EdgeInput(&fields) }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let from = try await edge.from.id(in: transaction)
    let to = try await edge.to.id(in: transaction)
    try await transaction.relate(from, edge.kind, to, named: edge.name, at: time)
    return .null
  }
}

/// `unrelate`: removes a relation.
struct UnrelateOperation: WritingOperation {
  static let name = "unrelate"
  private let edge: EdgeInput

  init(_ fields: inout Fields) throws { edge = try EdgeInput(&fields) }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let from = try await edge.from.id(in: transaction)
    let to = try await edge.to.id(in: transaction)
    try await transaction.unrelate(from, edge.kind, to, named: edge.name, at: time)
    return .null
  }
}

/// `related`: returns the identifiers to which an entity is related, in the order in which they
/// were added.
struct RelatedOperation: ReadingOperation {
  static let name = "related"
  private let place: Place
  private let kind: RelationKind
  private let name: PropertyKey?
  private let type: EntityType?
  private let condition: Condition
  private let keepsUnknown: Bool

  init(_ fields: inout Fields) throws {
    place = try Place(fields.need("id"))
    kind = try fields.choice("kind")
    name = try fields.take("named").map { PropertyKey(try $0.string()) }
    type = try fields.take("ofType").map { EntityType(try $0.string()) }
    condition = try fields.take("where")?.condition() ?? .always
    keepsUnknown = try fields.flag("unknown")
  }

  func read(_ state: any Reading) async throws -> JSON {
    let id = try await place.id(in: state)
    if keepsUnknown { return try await state.relatedIDs(id, kind, named: name).json }
    return try await state.relatedIDs(id, kind, named: name, type: type, where: condition).json
  }
}

/// `erase`: erases entities and everything only they own. Returns what died, in the order owners
/// reach it.
struct EraseOperation: WritingOperation {
  static let name = "erase"
  private let places: [Place]
  private let isStrict: Bool

  init(_ fields: inout Fields) throws {
    places = try fields.need("ids").elements().map { try Place($0) }
    isStrict = try fields.flag("strict")
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    var ids: [EntityID] = []
    for place in places { ids.append(try await place.id(in: transaction)) }
    return try await transaction.erase(ids, strict: isStrict, at: time).json
  }
}

/// `previewErasure`: returns what `erase` would do, without doing it.
struct PreviewErasureOperation: ReadingOperation {
  static let name = "previewErasure"
  private let places: [Place]
  private let isStrict: Bool

  init(_ fields: inout Fields) throws {
    places = try fields.need("ids").elements().map { try Place($0) }
    isStrict = try fields.flag("strict")
  }

  func read(_ state: any Reading) async throws -> JSON {
    var ids: [EntityID] = []
    for place in places { ids.append(try await place.id(in: state)) }
    return try await state.previewErasure(of: ids, strict: isStrict).json
  }
}

/// `purge`: destroys all values that entities ever had. Returns what died, and the number of
/// emptied writes.
struct PurgeOperation: WritingOperation {
  static let name = "purge"
  static let isDatedAlone = false
  private let ids: [EntityID]

  init(_ fields: inout Fields) throws {
    ids = try fields.need("ids").elements().map { try $0.id() }
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let report = try await transaction.purge(ids)
    return ["erased": report.died.json, "places": .integer(Int64(report.placeCount))]
  }
}

/// `restore`: restores an entity. Returns what came back, owners first.
struct RestoreOperation: WritingOperation {
  static let name = "restore"
  private let id: EntityID
  private let mode: RestoreMode

  init(_ fields: inout Fields) throws {
    id = try fields.need("id").id()
    mode = try fields.choice("mode", default: .ifOwned)
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    try await transaction.restore(id, mode, at: time).json
  }
}

/// `resolve`: returns the values of an alias, or of a list of them.
struct ResolveOperation: ReadingOperation {
  private enum Mode: String, CaseIterable {
    case strict
    case optional
  }

  static let name = "resolve"
  private let ids: [EntityID?]
  private let isList: Bool
  private let type: EntityType?
  private let mode: Mode

  init(_ fields: inout Fields) throws {
    if let several = fields.take("ids") {
      ids = try several.elements().map { try $0.json == .null ? nil : $0.id() }
      isList = true
    } else {
      let one = try fields.need("id")
      ids = [try one.json == .null ? nil : one.id()]
      isList = false
    }
    type = try fields.take("as").map { EntityType(try $0.string()) }
    mode = try fields.choice("mode", default: .strict)
  }

  func read(_ state: any Reading) async throws -> JSON {
    var found: [EntityID?] = []
    for id in ids {
      let alias = Alias(id, as: type)
      switch mode {
      case .strict: found.append(try await alias.require(in: state).id)
      case .optional: found.append(try await alias.find(in: state)?.id)
      }
    }
    if isList { return found.compactMap { $0 }.json }
    return .optional(found.first??.text)
  }
}
