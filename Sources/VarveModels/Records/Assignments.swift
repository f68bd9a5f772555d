import VarveCore

/// The properties of a model that an update of a query sets, with their values.
///
/// ```swift
/// try await store.update(Hat.where { $0.price > 500 }) { $0.set(\.price, 500) }
/// ```
public struct Assignments<Model: Persistable> {
  private var assigned: [(keyPath: PartialKeyPath<Model>, apply: (inout Model) -> Void)] = []
  private var values: [PartialKeyPath<Model>: () throws -> Value?] = [:]

  init() {}

  /// Sets a property of all models of the query. The last value of a property counts.
  public mutating func set<V: Sendable>(_ keyPath: WritableKeyPath<Model, V>, _ value: V) {
    assigned.append((keyPath, { $0[keyPath: keyPath] = value }))
    values[keyPath] = { try Model.schema.stored(keyPath)?.value(value) }
  }

  /// Sets the properties of one model.
  func apply(to model: inout Model) { for one in assigned { one.apply(&model) } }

  /// Returns the fields that are set, in the order of the schema.
  ///
  /// - Throws: ``VarveError`` with code `unknownProperty`.
  func fields() throws -> [SchemaField<Model>] {
    let schema = Model.schema
    for one in assigned where schema.field(one.keyPath) == nil {
      _ = try schema.column(one.keyPath)
    }
    return schema.fields.filter { field in values.keys.contains { $0 == field.keyPath } }
  }

  /// Returns the stored value of a field that is set, or nil for none.
  func value(of field: SchemaField<Model>) throws -> Value? {
    let keyPath = field.keyPath as PartialKeyPath<Model>
    return try values[keyPath]?()
  }
}
