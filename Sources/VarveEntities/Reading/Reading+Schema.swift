public import VarveCore

/// A type and its keys, with their names in SQL, lists and exports.
public struct TypeSchema: Hashable, Sendable {
  /// The type.
  public let type: EntityType
  /// The name of its table, which SQL quotes if it is no plain name.
  public let name: String
  /// The keys that entities of the type have had, in byte order.
  public let keys: [KeySchema]
}

/// A key, with its name in SQL, lists and exports.
public struct KeySchema: Hashable, Sendable {
  /// The key.
  public let key: PropertyKey
  /// The name of its column, which SQL quotes if it is no plain name.
  public let name: String
  /// The kind of its values. A key of integers may have doubles, and the other way round.
  public let kind: Value.Kind
  /// Whether it may have values of other kinds too, or several values.
  public let mayHaveOthers: Bool
  /// Whether an index on it was requested.
  public let isIndexed: Bool
}

/// The names of types and keys.
extension Reading {
  /// Returns the types that entities have had, and their keys, in byte order.
  ///
  /// ```swift
  /// for type in try await store.schema() { print(type.name, type.keys.map(\.name)) }
  /// ```
  ///
  /// SQL (``rows(sql:_:)``), the lists of the command line and exports use the same names. A name
  /// is the type or the key itself, unless SQL cannot hold it or tell it from another: SQL ignores
  /// the case of ASCII letters, and `id`, `@datestamp` and `@modified` are the entity's own. Such a
  /// name gets a number: `id_2`. Names depend on the types and keys that the store knows, so they
  /// are the same in every state.
  ///
  /// - Complexity: O(types + keys).
  public func schema() async throws -> [TypeSchema] {
    try await reading { state in
      var schema: [TypeSchema] = []
      let types = try await state.reader.labels()
      let names = SQLNames(types: types)
      for type in types {
        schema.append(try await state.reader.schema(of: type, name: names[type] ?? type.text))
      }
      return schema
    }
  }

  /// Returns the keys of a type with their names; nil if no entity has had the type.
  public func schema(of type: EntityType) async throws -> TypeSchema? {
    try await reading { state in
      let names = SQLNames(types: try await state.reader.labels())
      guard let name = names[type] else { return nil }
      return try await state.reader.schema(of: type, name: name)
    }
  }
}

extension BackendReader {
  fileprivate func schema(of type: EntityType, name: String) async throws -> TypeSchema {
    let known = try await knownKeys(of: type)
    let names = SQLNames(keys: known.map(\.key))
    let keys = known.map { key in
      KeySchema(
        key: key.key,
        name: names[key.key] ?? key.key.text,
        kind: key.kind,
        mayHaveOthers: key.mayHaveOthers,
        isIndexed: key.isIndexed
      )
    }
    return TypeSchema(type: type, name: name, keys: keys)
  }
}
