import VarveCore
import VarveEntities

extension CommitWriter {
  /// Validates a model before it is saved.
  ///
  /// Unchanged values are not checked for uniqueness again, because a merge may have brought a
  /// duplicate and other changes must still be possible. Values that are not unique are checked
  /// again at the end of the transaction.
  ///
  /// - Throws: ``VarveError`` with code `validationFailed` and all violations.
  func validate<Model: Persistable>(_ model: Model, since present: StoredEntity?) async throws {
    let schema = Model.schema
    let validation = try schema.validation(of: model)
    var doubts: [UniquenessDoubt] = []
    for indices in schema.uniques {
      if let doubt = try await doubt(indices, of: model, since: present) { doubts.append(doubt) }
    }
    // The other violations cannot be resolved later, so all are reported at once.
    guard validation.isValid else {
      return try validation.adding(doubts.map(\.error)).requireValid()
    }
    for doubt in doubts { remember(doubt) }
  }

  /// Returns a doubt if some of the values changed, and another entity has all of them.
  func doubt<Model: Persistable>(
    _ indices: [Int],
    of model: Model,
    since present: StoredEntity?
  ) async throws -> UniquenessDoubt? {
    let schema = Model.schema
    let isNew = try indices.contains { index in
      let column = schema.columns[index]
      return try present?.value(of: column.column.field) != column.value(model)
    }
    guard isNew || present == nil else { return nil }
    return try await findDoubt(indices, of: model)
  }

  /// Returns a doubt if another entity has the same values at present. Several entities may lack
  /// all of them.
  private func findDoubt<Model: Persistable>(
    _ indices: [Int],
    of model: Model
  ) async throws -> UniquenessDoubt? {
    let schema = Model.schema
    let columns = indices.map { schema.columns[$0] }
    let values = try columns.map { try $0.value(model) }
    guard values.contains(where: { $0 != nil }) else { return nil }
    var query = Query(schema.type).including(schema.types)
    for (column, value) in zip(columns, values) { query = query.where(column.field == value) }
    let id = model.id.entityID
    let others = try await commit.fetch(query.limit(2)).filter { $0.id != id }
    guard !others.isEmpty else { return nil }
    let key = columns.map(\.name).sorted().joined(separator: "_")
    let error = ValidationError(model: schema.model, key: key, message: "taken")
    return UniquenessDoubt(id: id, query: query, error: error)
  }
}

extension Schema {
  /// Returns the violations of the schema's rules and the model's own.
  func validation(of model: Model) throws -> Validation {
    if let refusal { throw refusal }
    var validation = Validation(model: self.model)
    if hasChecks { validation = try checks.reduce(validation) { try $1.check($0, model) } }
    return try model.validate(validation)
  }
}

extension Persistable {
  /// Validates the model without saving it. Uniqueness is not checked, because it depends on a
  /// store.
  public func validated() throws -> Validation { try Self.schema.validation(of: self) }
}
