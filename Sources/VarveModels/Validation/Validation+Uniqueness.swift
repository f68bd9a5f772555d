public import VarveCore
public import VarveEntities

extension Validation {
  /// Adds `taken` if another live entity of the type has the same values under all keys.
  ///
  /// Nil matches a missing value; without keys nothing matches. Values are compared as in queries:
  /// `1` equals `1.0`, and a NaN equals nothing. The key of the error is the only key, or all keys
  /// sorted and joined by `_`.
  ///
  /// ```swift
  /// try await store.write { tx in
  ///   let validation = try await Validation(model: "Hat")
  ///     .unique(["color": "red", "brimSize": 12], among: "Hat", excluding: id, in: tx)
  ///   try validation.requireValid()
  ///   try await tx.save("Hat", id: id, ["color": "red", "brimSize": 12])
  /// }
  /// ```
  ///
  /// A check against a store may be outdated before the next write; a check inside the writing
  /// transaction is not, because no other writer can commit meanwhile. A merge is never refused:
  /// replicas that were apart may bring equal values.
  ///
  /// - Parameters:
  ///   - values: the values whose combination must be unique.
  ///   - type: the type of the entities.
  ///   - id: the entity itself, which is excluded.
  ///   - reading: the state to search.
  /// - Throws: ``VarveError`` if the store cannot be read.
  /// - Complexity: O(entities of the type); O(log entities) if one of the keys is indexed.
  public func unique(
    _ values: [PropertyKey: Value?],
    among type: EntityType,
    excluding id: EntityID? = nil,
    in reading: some Reading
  ) async throws -> Validation {
    let keys = values.keys.sorted()
    guard !keys.isEmpty else { return self }
    var conditions = keys.map { key in
      (values[key] ?? nil).map { Field(key) == $0 } ?? Field(key).isMissing
    }
    if let id { conditions.append(Field.identifier != .string(id.text)) }
    let others = try await reading.count(Query(type).where(.and(conditions)).limit(1))
    guard others > 0 else { return self }
    return adding(key: keys.map(\.text).joined(separator: "_"), message: "taken")
  }
}
