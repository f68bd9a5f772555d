public import VarveCore
public import VarveEntities

/// Some properties of a query's models. See ``TypedQuery/select(_:)``.
public struct Projection<Model: Persistable, each V: Sendable>: Sendable {
  let query: TypedQuery<Model>
  /// The columns to read, in order; nil for the identifier.
  let columns: [RowShape.Column?]
  /// How the values are stored; nil for a property that the schema lacks.
  let stored: (repeat StoredForm<each V>?)
  /// The error, if the schema lacks a property.
  let unknown: VarveError?

  /// The query without the model.
  var untyped: Query {
    query.untyped.select(.fields(columns.map { $0?.field ?? .identifier }))
  }
}

extension TypedQuery {
  /// Returns a query for some properties only. It fetches their values, not models.
  ///
  /// ```swift
  /// let pairs = try await store.fetch(Hat.all.select(\.color, \.brimSize))  // [(String, Int)]
  /// ```
  public func select<each V: Sendable>(
    _ keyPaths: repeat KeyPath<Model, each V>
  ) -> Projection<Model, repeat each V> {
    var columns: [RowShape.Column?] = []
    var unknown: VarveError?
    for keyPath in repeat each keyPaths {
      do {
        columns.append(try Model.schema.column(keyPath))
      } catch let error as VarveError where !(keyPath is KeyPath<Model, Identifier<Model>>) {
        unknown = error
      } catch {
        columns.append(nil)
      }
    }
    return Projection(
      query: self,
      columns: columns,
      stored: (repeat Model.schema.stored(each keyPaths)),
      unknown: unknown
    )
  }
}

extension Reading {
  /// Returns some properties of a query's models, row by row.
  ///
  /// If a property is missing or of another kind, the result is nil for an optional property;
  /// otherwise the row is omitted and logged. A ``TypedQuery/distinct`` query returns each
  /// combination of values once, at its first place.
  ///
  /// - Throws: ``VarveError`` with code `unknownProperty` for a property that is not in the schema.
  /// - Complexity: O(rows examined).
  public func fetch<Model, each V: Sendable>(
    _ projection: Projection<Model, repeat each V>
  ) async throws -> [(repeat each V)] {
    if let unknown = projection.unknown { throw unknown }
    let shape = RowShape(projection.columns.compactMap(\.self))
    let isIdentifier = projection.columns.map { $0 == nil }
    try await prepare(projection.query.untyped)
    return try await reading { state in
      let query = projection.query.untyped
      // A repeated row counts once, so the limit and the offset apply after repetitions are
      // removed.
      let end = query.isDistinct ? query.windowEnd ?? .max : .max
      let rows = query.isDistinct && query.limit != 0 ? query.withoutWindow : query
      let (values, unreadable) = try await state.readable(
        rows,
        of: Model.schema,
        shape,
        policy: state.rules.unreadableRows
      ) { rows in
        var values: [(repeat each V)] = []
        var seen: Set<[Value?]> = []
        while values.count < end, let row = try rows.next() {
          do {
            var (place, position) = (0, 0)
            var key: [Value?] = []
            func next<W>(_ form: StoredForm<W>?) throws -> W {
              defer { place += 1 }
              if isIdentifier[place] {
                let id = Identifier<Model>(try row.entityID())
                if let id = id as? W {
                  key.append(.reference(try row.entityID()))
                  return id
                }
              }
              defer { position += 1 }
              guard let form else { throw row.missing(at: position) }
              let value = try form.read(row, position)
              key.append(try form.value(value))
              return value
            }
            let read = (repeat try next(each projection.stored))
            guard !query.isDistinct || seen.insert(key).inserted else { continue }
            values.append(read)
          } catch {
            try rows.pass(over: row, error)
          }
        }
        return values
      }
      UnreadableLog.note(unreadable)
      return query.isDistinct ? Array(values.dropFirst(query.offset)) : values
    }
  }

  /// Returns the projection as SQL that any tool can run on the store.
  public func sql<Model, each V>(
    _ projection: Projection<Model, repeat each V>
  ) async throws -> SQLText {
    try await sql(projection.untyped)
  }
}

extension Schema {
  /// Returns the column by which a property is read.
  func column(_ keyPath: PartialKeyPath<Model>) throws -> RowShape.Column {
    guard let field = field(keyPath), field.isColumn else {
      throw VarveError(
        .unknownProperty,
        "\(keyPath) is not a property of \(Model.self)'s schema",
        at: "query of \"\(type)\"",
        remedy: "Name a property with a column."
      )
    }
    return field.column
  }
}
