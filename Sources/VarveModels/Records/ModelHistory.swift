public import VarveCore
public import VarveEntities

/// A former or present value of a model's property.
public struct ModelVersion<V: Sendable>: Sendable {
  /// The value, or nil if it was removed or is not of the property's type.
  public let value: V?
  /// The time from which the value holds.
  public let time: HybridTime
  /// The commit that wrote it.
  public let commit: CommitSummary

  /// The author of the commit; empty if none was given.
  public var author: String? { commit.author }
}

extension Reading {
  /// Returns every value that a property of a model had, newest first.
  ///
  /// ```swift
  /// for version in try await store.history(of: hat, \.color) {
  ///   print(version.value ?? "removed", version.time.date, version.author ?? "-")
  /// }
  /// ```
  ///
  /// The history includes values under older names of the property. It does not include the save
  /// that moved a value to the present name.
  ///
  /// - Complexity: O(returned values × log cells).
  public func history<Model: Persistable, V: Sendable>(
    of model: Model,
    _ keyPath: KeyPath<Model, V>,
    limit: Int? = nil
  ) async throws -> [ModelVersion<V>] {
    let column = try Model.schema.column(keyPath)
    let form = Model.schema.stored(keyPath)
    var versions: [Version] = []
    for key in [column.key] + column.older {
      // The number of versions to omit from an older name's history is not known in advance.
      let own = try await history(
        of: model.id.entityID,
        key,
        limit: column.older.isEmpty ? limit : nil
      )
      let newer = versions
      versions += own.filter { version in
        version.value != nil || newer.first { $0.time <= version.time }?.value == nil
      }
      if !column.older.isEmpty { versions.sort { $0.time > $1.time } }
    }
    return versions.prefix(limit ?? .max).map { version in
      let value = version.value.flatMap { value in
        form?.instance(value) ?? column.convert?(value).flatMap { form?.instance($0) }
      }
      return ModelVersion(value: value, time: version.time, commit: version.commit)
    }
  }
}

extension Store {
  /// Returns the models of a query, first at present and then after each transaction that changes
  /// an entity of a type that it fetches, joins, includes or loads. See ``observe(_:)-(Query)``.
  ///
  /// ```swift
  /// for try await hats in try await store.observe(Hat.where { $0.brimSize > 7 }) { print(hats.count) }
  /// ```
  public func observe<Model>(_ query: TypedQuery<Model>) async throws -> LiveQuery<[Model]> {
    try await prepare(query.untyped)
    return try await observe(dependingOn: query.untyped, and: query.includedTypes) {
      try await $0.fetch(query)
    }
  }
}

extension TypedQuery {
  /// The types that can affect the result, or nil for all.
  package var types: Set<EntityType>? {
    guard let own = untyped.types, let includedTypes else { return nil }
    return own.union(includedTypes)
  }
}
