import VarveCore

extension Reading {
  /// Some properties of a query's models, without the rest of them.
  ///
  /// ```swift
  /// for (color, size) in try await store.values(\.color, \.brimSize, of: Hat.all) { print(color, size) }
  /// ```
  ///
  /// A property that is missing, or of another kind, must be asked for as an optional one; else its
  /// row is left out and logged.
  ///
  /// - Complexity: O(rows looked at).
  public func values<Model, each V: PropertyValue>(
    _ keyPaths: repeat KeyPath<Model, each V>,
    of query: TypedQuery<Model>
  ) async throws -> [(repeat each V)] {
    var columns: [RowShape.Column] = []
    for keyPath in repeat each keyPaths { columns.append(try Model.schema.column(keyPath)) }
    let shape = RowShape(columns)
    let erased = query.erased.select(.all)
    return try await reading { state in
      try await state.backend.rows(erased, shape) { cursor in
        let rows = EntityRows(cursor, type: Model.schema.type)
        var values: [(repeat each V)] = []
        while let row = try rows.next() {
          do {
            var position = 0
            func next<W: PropertyValue>(_ type: W.Type) throws -> W {
              defer { position += 1 }
              return try row.read(position)
            }
            values.append((repeat try next((each V).self)))
          } catch {
            try rows.pass(over: row, error)
          }
        }
        UnreadableLog.note(rows.unreadable)
        return values
      }
    }
  }
}

extension Schema {
  /// How a property is read by itself.
  func column(_ keyPath: PartialKeyPath<Model>) throws -> RowShape.Column {
    guard let field = field(keyPath), field.isColumn else {
      throw VarveError(
        .unknownProperty,
        "\(keyPath) is no property of \(Model.self)'s schema",
        at: "query of \"\(type)\"",
        remedy: "Name a property with a column; identifiers come with the models."
      )
    }
    return field.column
  }
}
