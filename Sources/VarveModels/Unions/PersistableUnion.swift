public import VarveCore
public import VarveEntities

/// An enumeration of models, so that structs of several types can be queried together.
///
/// ```swift
/// enum AnyShape: PersistableUnion {
///   case circle(Circle)
///   case square(Square)
///
///   static let members = [UnionMember(AnyShape.circle), UnionMember(AnyShape.square)]
///   var model: any Persistable {
///     switch self {
///     case .circle(let circle): circle
///     case .square(let square): square
///     }
///   }
/// }
///
/// let wide = try await store.fetch(AnyShape.self) { $0.where(Field("width") > 10) }
/// ```
///
/// The models keep their own tables; a query over all of them reads them as one.
public protocol PersistableUnion: Sendable {
  /// The models, each with its case.
  static var members: [UnionMember<Self>] { get }

  /// The model in it.
  var model: any Persistable { get }
}

/// One model of a ``PersistableUnion``.
public struct UnionMember<Union: Sendable>: Sendable {
  let types: [EntityType]
  let knownKeys: Set<PropertyKey>
  let read: @Sendable (StoredEntity) throws -> Union

  /// Creates a mapping of a model to the case that contains it.
  public init<Model: Persistable>(_ wrap: @escaping @Sendable (Model) -> Union) {
    types = Model.schema.types
    knownKeys = Model.schema.knownKeys
    read = { wrap(try Model($0)) }
  }
}

extension PersistableUnion {
  /// All entities of the models, as a query.
  ///
  /// An enumeration without members is a programmer's error and traps.
  public static var query: Query {
    let types = members.flatMap(\.types)
    guard let first = types.first else { preconditionFailure("\(Self.self) has no members") }
    var query = Query(first).including(types)
    query.knownKeys = members.reduce(into: []) { $0.formUnion($1.knownKeys) }
    return query
  }

  /// Creates the case as which an entity is read.
  public init(_ entity: StoredEntity) throws {
    guard let member = Self.members.first(where: { $0.types.contains(entity.type) }) else {
      throw VarveError(
        .typeMismatch,
        "the entity \"\(entity.id)\" is a \"\(entity.type)\", which \(Self.self) has no case for",
        at: "entity \(entity.id)",
        remedy: "Read it as its own type.",
        entity: entity.id
      )
    }
    self = try member.read(entity)
  }
}

extension PersistableUnion {
  /// Returns the entities that can be read, and those that cannot.
  fileprivate static func read(
    _ entities: [StoredEntity],
    _ policy: UnreadableRowPolicy
  ) throws -> ([Self], [UnreadableRow]) {
    var unreadable: [UnreadableRow] = []
    let models = try entities.compactMap { entity -> Self? in
      do {
        return try Self(entity)
      } catch {
        if policy == .refuse { throw error }
        let reason = UnreadableRow.Reason.failed("\(error)")
        unreadable.append(UnreadableRow(type: entity.type, id: entity.id, key: nil, reason: reason))
        return nil
      }
    }
    return (models, unreadable)
  }
}

extension Reading {
  /// Returns the models of an enumeration, of all types together, in the query's order.
  ///
  /// Rows that cannot be read are omitted and logged.
  ///
  /// - Parameters:
  ///   - union: the enumeration.
  ///   - narrow: adds conditions, an order and a window to the query for all.
  public func fetch<Union: PersistableUnion>(
    _ union: Union.Type,
    _ narrow: (Query) -> Query = { $0 }
  ) async throws -> [Union] {
    let query = narrow(Union.query)
    try await prepare(query)
    return try await reading { state in
      let policy = state.rules.unreadableRows
      let end = query.windowEnd
      let all = query.withoutWindow
      let entities = try await state.reader.fetch(end.map { all.limit($0) } ?? all)
      var (models, unreadable) = try Union.read(entities, policy)
      if let end, !unreadable.isEmpty, entities.count >= end {
        // Rows that cannot be read took the place of others.
        (models, unreadable) = try Union.read(await state.reader.fetch(all), policy)
        models = Array(models.prefix(end))
      }
      UnreadableLog.note(unreadable)
      return Array(models.dropFirst(query.offset))
    }
  }

  /// Returns a model of an enumeration by its identifier, or nil if there is none.
  ///
  /// - Throws: ``VarveError``: `typeMismatch` for an entity of none of the models; `missingField`,
  ///   `fieldType`.
  public func find<Union: PersistableUnion>(
    _ id: EntityID,
    as union: Union.Type = Union.self
  ) async throws -> Union? {
    try await entity(id).map { try Union($0) }
  }
}

extension Writing {
  /// Saves the model in an enumeration. See ``save(_:)-(Model)``.
  ///
  /// - Returns: it as it is stored, dates included.
  @discardableResult
  public func save<Union: PersistableUnion>(_ union: Union) async throws -> Union {
    try await writing(as: .save, sharesTurn: true) { tx in
      let id = try await tx.saved(union.model)
      guard let entity = try await tx.entity(id) else { return union }
      return try Union(entity)
    }
  }
}

extension WriteTransaction {
  fileprivate func saved(_ model: some Persistable) async throws -> EntityID {
    try await save(model).id.entityID
  }
}
