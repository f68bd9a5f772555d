import VarveCore

extension CommitWriter {
  /// Checks all that must hold of a model before it is saved.
  ///
  /// - Throws: ``VarveError`` with code `validationFailed`, with everything that is broken.
  ///
  /// What is as it was is not asked for again: a merge may have brought a double, and what else is
  /// changed must still be saved.
  func validate<Model: Persistable>(_ model: Model, since present: Entity?) async throws {
    let schema = Model.schema
    var validation = try schema.validation(of: model)
    for indices in schema.uniques {
      let isNew = try indices.contains { index in
        let column = schema.columns[index]
        return try present?.value(of: column.column.field) != column.value(model)
      }
      if isNew || present == nil { validation = try await unique(indices, of: model, validation) }
    }
    try validation.requireValid()
  }

  /// Whether another entity has the same values. Where all of them are missing, many may.
  private func unique<Model: Persistable>(
    _ indices: [Int],
    of model: Model,
    _ validation: Validation
  ) async throws -> Validation {
    let columns = indices.map { Model.schema.columns[$0] }
    let values = try columns.map { try $0.value(model) }
    guard values.contains(where: { $0 != nil }) else { return validation }
    var query = Query(Model.schema.type)
    for (column, value) in zip(columns, values) {
      query = query.where(column.column.field.eq(value))
    }
    let others = try await writer.fetch(query.limit(2)).filter { $0.id != model.id.entityID }
    guard !others.isEmpty else { return validation }
    let key = columns.map(\.name).sorted().joined(separator: "_")
    return validation.adding(key: key, message: "taken")
  }
}

extension Schema {
  /// What a model breaks of its schema's rules and its own.
  func validation(of model: Model) throws -> Validation {
    var validation = Validation(model: self.model)
    if hasChecks { validation = try checks.reduce(validation) { try $1.check($0, model) } }
    return try model.validate(validation)
  }
}

extension Persistable {
  /// What saving would refuse, without saving: all but uniqueness, which only a store can tell.
  public func validated() throws -> Validation { try Self.schema.validation(of: self) }
}
