import VarveCore
public import VarveEntities

extension Store {
  /// Returns a model by its identifier, or nil if there is none. It is a faster form of
  /// `Reading.find(_:)`.
  public func find<Model: Persistable>(_ id: Identifier<Model>) async throws -> Model? {
    try refuseInsideOwnWrite("find")
    let schema = Model.schema
    do {
      return try await backend.row(id.entityID, of: schema.types, schema.shape) { cursor in
        try Model(row: EntityRow(cursor: cursor))
      }
    } catch let error as FieldMismatch {
      throw error.described(of: id.entityID)
    }
  }
}
