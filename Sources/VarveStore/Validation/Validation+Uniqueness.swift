public import VarveCore

extension Validation {
  /// Adds `taken` where another live entity of a type has the same values under all of some keys.
  ///
  /// Nil matches a missing value, and no keys match nothing. Values are compared as queries compare
  /// them: `1` takes `1.0`, and a NaN takes nothing. The error's key is the one there is, or all of
  /// them, sorted and joined by `_`.
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
  /// Asked of a store, the answer may be old before anything is written; asked of the transaction
  /// that writes, nobody writes between. A merge refuses nothing: copies that were apart may bring
  /// the same values.
  ///
  /// - Parameters:
  ///   - values: what is to be unique, together.
  ///   - type: the type of the entities.
  ///   - id: the entity itself, which does not count.
  ///   - reading: where to look.
  /// - Throws: ``VarveError`` where the store cannot be read.
  /// - Complexity: O(entities of the type); O(log entities) where a key of them is indexed.
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
