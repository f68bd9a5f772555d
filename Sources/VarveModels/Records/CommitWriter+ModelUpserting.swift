import VarveCore
import VarveEntities

/// Saves of models that find their entity by unique values.
extension CommitWriter {
  /// Saves a model under the identifier of the live entity with its unique values, if there is one,
  /// otherwise under its own.
  func upsert<Model: Persistable>(
    _ model: Model,
    on keyPaths: [PartialKeyPath<Model>]
  ) async throws -> Model {
    var model = model
    if let found = try await counterpart(of: model, on: keyPaths) { model.id = Identifier(found) }
    return try await save(model)
  }

  /// Saves a new model unless a live entity has its unique values. Returns nil if one has.
  func insert<Model: Persistable>(
    _ model: Model,
    ifAbsent keyPaths: [PartialKeyPath<Model>]
  ) async throws -> Model? {
    guard try await counterpart(of: model, on: keyPaths) == nil else { return nil }
    let id = model.id.entityID
    if case .live(let type) = try await commit.status(of: id) { throw Self.duplicate(id, type) }
    return try await save(model)
  }

  /// Returns the live entity with the model's values of unique properties: of several, the one
  /// created first.
  private func counterpart<Model: Persistable>(
    of model: Model,
    on keyPaths: [PartialKeyPath<Model>]
  ) async throws -> EntityID? {
    let schema = Model.schema
    guard !keyPaths.isEmpty else { throw Self.namesNothing(schema.type) }
    let names = try keyPaths.map { try schema.column($0).key }
    let unique = schema.uniques.first { Set($0.map { schema.keys[$0] }) == Set(names) }
    guard let unique else {
      let list = names.map(\.text).joined(separator: ", ")
      throw VarveError(
        .invalidArgument,
        "\"\(list)\" is not declared unique, so it does not name one entity",
        at: "schema of \(Model.self)",
        remedy: "Declare it `.unique` or `uniqueTogether`, or name properties that are."
      )
    }
    var query = schema.query
    for column in unique.map({ schema.columns[$0] }) {
      guard let value = try column.value(model) else {
        throw VarveError(
          .invalidArgument,
          "the model has no value for \"\(column.name)\", by which its entity is found",
          at: "\(schema.type) \(model.id), \(column.name)",
          remedy: "Give it a value, or save the model by its identifier."
        )
      }
      query = query.where(column.field == value)
    }
    return try await commit.ids(of: query.limit(1)).first
  }
}
