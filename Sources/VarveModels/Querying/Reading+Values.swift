import VarveCore
public import VarveEntities

extension Reading {
  /// Returns some properties of a model, all of one state, or nil if there is no live entity of the
  /// model's type.
  ///
  /// ```swift
  /// let then = try await store.asOf(lastMonday).values(of: hat.id, \.color, \.brimSize)
  /// print(then?.0 ?? "-")
  /// ```
  ///
  /// For one key path, the result is its value, not a tuple: `values(of: hat.id, \.color)` is a
  /// `String?`.
  ///
  /// It reads the entity alone, also in a past state, and does not require that the whole model can
  /// be read.
  ///
  /// - Throws: ``VarveError``: `missingField` or `fieldType` for a value that is not of its
  ///   property's type, `unknownProperty` for a property that is not in the schema.
  /// - Complexity: O(log entities); for a past state, O(the entity's own history and its owners').
  public func values<Model: Persistable, each V: Sendable>(
    of id: Identifier<Model>,
    _ keyPaths: repeat KeyPath<Model, each V>
  ) async throws -> (repeat each V)? {
    let schema = Model.schema
    var columns: [RowShape.Column] = []
    for keyPath in repeat each keyPaths { columns.append(try schema.column(keyPath)) }
    let shape = RowShape(columns)
    let forms = (repeat Model.schema.stored(each keyPaths))
    return try await reading { state in
      do {
        return try await state.reader.row(id.entityID, of: schema.types, shape) { cursor in
          let row = EntityRow(cursor: cursor)
          var position = 0
          func next<W>(_ form: StoredForm<W>?) throws -> W {
            defer { position += 1 }
            guard let form else { throw row.missing(at: position) }
            return try form.read(row, position)
          }
          return (repeat try next(each forms))
        }
      } catch let error as FieldMismatch {
        throw error.described(of: id.entityID)
      }
    }
  }
}
