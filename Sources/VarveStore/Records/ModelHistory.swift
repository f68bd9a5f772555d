public import VarveCore

/// A value a property of a model had.
public struct ModelVersion<V: Sendable>: Sendable {
  /// The value; nil where it was removed, or is none of the property's type.
  public let value: V?
  /// When it holds from.
  public let time: HybridTime
  /// The commit that wrote it.
  public let commit: CommitSummary

  /// Who wrote it; empty where nobody is named.
  public var author: String { commit.author }
}

extension Reading {
  /// Every value a property of a model had, newest first.
  ///
  /// ```swift
  /// for version in try await store.history(of: hat, \.color) {
  ///   print(version.value ?? "removed", version.time.date, version.author)
  /// }
  /// ```
  ///
  /// What was written under older names of the property is its history too; that a save moved the value
  /// to the property's present name is not.
  ///
  /// - Complexity: O(answered × log cells).
  public func history<Model: Persistable, V: PropertyValue>(
    of model: Model,
    _ keyPath: KeyPath<Model, V>,
    limit: Int? = nil
  ) async throws -> [ModelVersion<V>] {
    let column = try Model.schema.column(keyPath)
    var versions: [Version] = []
    for key in [column.key] + column.older {
      // What is left out of an older name's history is not known before.
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
        V(propertyValue: value) ?? column.convert?(value).flatMap(V.init(propertyValue:))
      }
      return ModelVersion(value: value, time: version.time, commit: version.commit)
    }
  }
}

extension Store {
  /// The models of a query: those of now first, then anew whenever a transaction touches an entity of
  /// its type, or of one it joins, includes or loads along. See ``observe(_:)-(Query)``.
  ///
  /// ```swift
  /// for try await hats in try await store.observe(Hat.where { $0.brimSize > 7 }) { print(hats.count) }
  /// ```
  public func observe<Model>(_ query: TypedQuery<Model>) async throws -> LiveQuery<[Model]> {
    try await prepare(query.erased)
    return try await observe(dependingOn: query.erased, and: query.includedTypes) {
      try await $0.fetch(query)
    }
  }
}

extension TypedQuery {
  /// The types an answer depends on; nil for all.
  package var types: Set<EntityType>? {
    guard let own = erased.types, let includedTypes else { return nil }
    return own.union(includedTypes)
  }
}
