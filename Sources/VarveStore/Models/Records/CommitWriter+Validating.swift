import VarveCore

extension CommitWriter {
  /// Checks all that must hold of a model before it is saved.
  ///
  /// - Throws: ``VarveError`` with code `validationFailed`, with everything that is broken.
  ///
  /// What is as it was is not asked for again: a merge may have brought a double, and what else is
  /// changed must still be saved. What is not unique is asked for again at the end of the transaction.
  func validate<Model: Persistable>(_ model: Model, since present: StoredEntity?) async throws {
    let schema = Model.schema
    let validation = try schema.validation(of: model)
    var doubts: [UniquenessDoubt] = []
    for indices in schema.uniques {
      let isNew = try indices.contains { index in
        let column = schema.columns[index]
        return try present?.value(of: column.column.field) != column.value(model)
      }
      guard isNew || present == nil else { continue }
      if let doubt = try await findDoubt(indices, of: model) { doubts.append(doubt) }
    }
    // What else is broken cannot become right any more, so all of it is said at once.
    guard validation.isValid else {
      return try validation.adding(doubts.map(\.error)).requireValid()
    }
    for doubt in doubts { remember(doubt) }
  }

  /// Whether another entity has the same values now. Where all of them are missing, many may.
  private func findDoubt<Model: Persistable>(
    _ indices: [Int],
    of model: Model
  ) async throws -> UniquenessDoubt? {
    let schema = Model.schema
    let columns = indices.map { schema.columns[$0] }
    let values = try columns.map { try $0.value(model) }
    guard values.contains(where: { $0 != nil }) else { return nil }
    var query = Query(schema.type)
    for (column, value) in zip(columns, values) { query = query.where(column.field.eq(value)) }
    let id = model.id.entityID
    let others = try await writer.fetch(query.limit(2)).filter { $0.id != id }
    guard !others.isEmpty else { return nil }
    let key = columns.map(\.name).sorted().joined(separator: "_")
    let error = ValidationError(model: schema.model, key: key, message: "taken")
    return UniquenessDoubt(id: id, query: query, error: error)
  }
}

/// Something that is not unique in the middle of a transaction: two entities may change values with each
/// other, so that only its end tells.
struct UniquenessDoubt {
  let id: EntityID
  /// Whoever has the values.
  let query: Query
  let error: ValidationError

  /// Whether the entity and another one have the values.
  func isConfirmed(by reader: any BackendReader) async throws -> Bool {
    let own = query.where(.compare(.identifier, .equal, .string(id.text)))
    guard try await reader.count(own) > 0 else { return false }
    return try await reader.count(query.limit(2)) > 1
  }
}

extension Schema {
  /// What a model breaks of its schema's rules and its own.
  func validation(of model: Model) throws -> Validation {
    if let refusal { throw refusal }
    var validation = Validation(model: self.model)
    if hasChecks { validation = try checks.reduce(validation) { try $1.check($0, model) } }
    return try model.validate(validation)
  }
}

extension Persistable {
  /// What saving would refuse, without saving: all but uniqueness, which only a store can tell.
  public func validated() throws -> Validation { try Self.schema.validation(of: self) }
}
