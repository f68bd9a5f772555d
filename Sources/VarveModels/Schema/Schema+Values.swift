import VarveCore
import VarveEntities

extension Schema {
  /// Returns the values of a model, in the order of the columns.
  func values(of model: Model) throws -> [Value?] {
    var values = PropertyValues(shape)
    try write(model, to: &values)
    return Array(values.values)
  }

  /// Whether saving sets a date.
  var isDated: Bool { createdAt != nil || updatedAt != nil }

  /// Writes the values of a model.
  func write(_ model: Model, to values: inout PropertyValues) throws {
    values.removeAll()
    try model.write(to: &values)
    values.complete()
    guard values.values.count == shape.columns.count else {
      throw VarveError(
        .invalidArgument,
        "\(Model.self) writes \(values.values.count) values for \(columns.count) properties",
        at: "schema of \(Model.self)",
        remedy: "Write each property of the schema once, in its order."
      )
    }
  }

  /// Returns the changes that create an entity.
  func changes(_ values: [Value?], filled: FilledDates) -> [PropertyChange] {
    zip(keys, values).compactMap { key, value in
      value.map { PropertyChange(key: key, property: property($0, of: key, filled: filled)) }
    }
  }

  /// Returns a value to write. A date that saving set has its own semantic type.
  func property(_ value: Value, of key: PropertyKey, filled: FilledDates) -> StoredEntity.Property {
    let isFilled =
      (filled.isCreation && key == creationKey) || (filled.isSaving && key == savingKey)
    return StoredEntity.Property(value, semanticType: isFilled ? Cell.Content.derivedType : nil)
  }

  /// The semantic types of the dates that saving sets.
  var dateTypes: [PropertyKey: String] {
    var types: [PropertyKey: String] = [:]
    for key in [creationKey, savingKey].compactMap(\.self) { types[key] = Cell.Content.derivedType }
    return types
  }
}

/// The dates of a model that saving set.
struct FilledDates {
  var isCreation = false
  var isSaving = false
}
