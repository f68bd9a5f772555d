import Foundation
public import VarveCore
public import VarveEntities

/// The results for the models that share the value of a property.
public struct AggregateGroup<Key: Sendable, Values: Sendable>: Sendable {
  /// The shared value; for an optional property, nil if it is missing or of another kind.
  public let key: Key
  /// The results, in the order of the aggregates.
  public let values: Values
}

extension Reading {
  /// Computes one aggregate over the rows of a query, within its limit and offset. Values that the
  /// property's type cannot have do not count.
  public func aggregate<Model, Result>(
    _ query: TypedQuery<Model>,
    _ aggregate: Aggregate<Model, Result>
  ) async throws -> Result {
    try await results(query, by: [], aggregate)[0].values
  }

  /// Computes aggregates over the rows of a query, within its limit and offset. Values that the
  /// property's type cannot have do not count.
  ///
  /// - Complexity: O(rows examined). The database does the work if each column holds values of one
  ///   kind and none is a decimal number.
  public func aggregate<Model, each Result>(
    _ query: TypedQuery<Model>,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> (repeat each Result) {
    try await results(query, by: [], repeat each aggregates)[0].values
  }

  /// Computes aggregates for each group of rows that share the value of a property, in order of
  /// that value.
  ///
  /// If the property is not optional, rows without a value of its type are no group. They are
  /// logged, unless ``Store/Configuration/unreadableRows`` refuses them.
  ///
  /// - Throws: ``VarveError``: `unknownProperty` for a property without a column; with that policy
  ///   `missingField` and `fieldType`.
  public func aggregate<Model, Key: Sendable, each Result>(
    _ query: TypedQuery<Model>,
    by keyPath: KeyPath<Model, Key>,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> [AggregateGroup<Key, (repeat each Result)>] {
    let field = Model.schema.queried(keyPath)
    let stored = Model.schema.stored(keyPath)
    let rows = try await results(query, by: [field], repeat each aggregates)
    return try await readable(rows, of: Model.schema.type, by: [field]) { row in
      AggregateGroup(key: try row.keys[0].key(stored, at: 0), values: row.values)
    }
  }

  /// Computes aggregates for each group that a query of models forms, in order of the keys.
  ///
  /// ```swift
  /// let groups = Hat.all.grouped(by: \.color, \.size).having(.count > 1)
  /// for group in try await store.aggregate(groups, .count, .sum(\.price)) { print(group.keys) }
  /// ```
  ///
  /// Rows without a value of the type of a property that is not optional are no group; see
  /// ``aggregate(_:by:_:)-(TypedQuery<Model>,KeyPath<Model,Key>,Aggregate<Model,Result>)``.
  ///
  /// - Throws: as there.
  /// - Complexity: as for one key; ``TypedGroups/having(_:)`` limits what is returned, not what is
  ///   read.
  public func aggregate<Model, each Key: Sendable, each Result>(
    _ groups: TypedGroups<Model, repeat each Key>,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> [KeyedGroup<(repeat each Key), (repeat each Result)>] {
    let rows = try await results(
      groups.query,
      by: groups.fields,
      having: groups.condition,
      repeat each aggregates
    )
    return try await readable(rows, of: Model.schema.type, by: groups.fields) { row in
      var position = 0
      func next<K>(_ stored: StoredForm<K>?) throws -> K {
        defer { position += 1 }
        return try row.keys[position].key(stored, at: position)
      }
      return KeyedGroup(keys: (repeat try next(each groups.stored)), values: row.values)
    }
  }

  /// Computes aggregates over the rows of a query for each group that shares the values of some
  /// fields, in order of these. Without fields there is one group of all rows.
  ///
  /// - Parameters:
  ///   - query: the rows.
  ///   - keys: the fields to group by.
  ///   - condition: the condition that the groups must satisfy; nil for all groups.
  ///   - aggregations: what to compute. If there is nothing, the result is the distinct values of
  ///     the keys.
  public func aggregate(
    _ query: Query,
    by keys: [Field] = [],
    having condition: AggregateCondition? = nil,
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow] {
    try await prepareRelated(query)
    return try await reading { state in
      try await state.aggregate(query, by: keys, having: condition, aggregations)
    }
  }

  /// Returns the database's results.
  ///
  /// The database also counts values that the property's type cannot have. If a result is such a
  /// value, the results are computed here, without those rows.
  private func results<Model, each Result>(
    _ query: TypedQuery<Model>,
    by keys: [Field],
    having condition: AggregateCondition? = nil,
    _ aggregates: repeat Aggregate<Model, each Result>
  ) async throws -> [(keys: [Value?], values: (repeat each Result))] {
    var list: [Aggregation] = []
    var fits: [@Sendable (Value) -> Bool] = []
    for aggregate in repeat each aggregates {
      list.append(aggregate.aggregation)
      fits.append(aggregate.fits)
    }
    let conditions = condition?.aggregations ?? []
    let fields = keys + (list + conditions).compactMap(\.field)
    try query.untyped.select(.fields(fields)).validate()
    try await prepareRelated(query.untyped)
    return try await reading { [list, fits] state in
      let rows = try await state.aggregate(query.untyped, by: keys, having: condition, list)
      do {
        return try rows.map { ($0.keys, try unpack($0.values, repeat each aggregates)) }
      } catch is Unfit {
        let all = list + (condition?.aggregations ?? [])
        let looked = try await state.reader.rows(of: query.untyped, for: all, by: keys)
        let counted = try Aggregation.evaluate(all, by: keys, over: looked) { place, value in
          place < fits.count ? fits[place](value) : true
        }.satisfying(condition, of: all, keeping: list.count)
        do {
          return try counted.map { ($0.keys, try unpack($0.values, repeat each aggregates)) }
        } catch let error as Unfit {
          throw VarveError(
            .valueTooLarge,
            "the property's type has no value \(error.value)",
            at: "query of \"\(Model.schema.type)\"",
            remedy: "Sum fewer rows, or aggregate without the model."
          )
        }
      }
    }
  }

  /// Returns the groups whose keys are values of the properties' types. The others are logged, or
  /// refused by the store's policy.
  private func readable<Values, Group>(
    _ rows: [(keys: [Value?], values: Values)],
    of type: EntityType,
    by fields: [Field],
    _ read: ((keys: [Value?], values: Values)) throws -> Group
  ) async throws -> [Group] {
    var groups: [Group] = []
    var unreadable: [UnreadableKey] = []
    for row in rows {
      do {
        groups.append(try read(row))
      } catch let error as UnreadableKey {
        unreadable.append(error)
      }
    }
    guard let first = unreadable.first else { return groups }
    let error = first.described(of: type, by: fields)
    if try await reading({ $0.rules.unreadableRows }) == .refuse { throw error }
    UnreadableLog.note(groups: unreadable.count, of: type, first: error)
    return groups
  }

  private func unpack<Model, each Result>(
    _ values: [Value?],
    _ aggregates: repeat Aggregate<Model, each Result>
  ) throws -> (repeat each Result) {
    var position = 0
    func next<R>(_ aggregate: Aggregate<Model, R>) throws -> R {
      defer { position += 1 }
      return try aggregate.take(position < values.count ? values[position] : nil)
    }
    return (repeat try next(each aggregates))
  }
}

extension StateReader {
  /// Returns the results of the groups that satisfy a condition.
  fileprivate func aggregate(
    _ query: Query,
    by keys: [Field],
    having condition: AggregateCondition?,
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow] {
    let all = aggregations + (condition?.aggregations ?? [])
    return try await reader.aggregate(query, by: keys, all)
      .satisfying(condition, of: all, keeping: aggregations.count)
  }
}

extension [AggregateRow] {
  /// Returns the groups that satisfy a condition, with the first of their results.
  fileprivate func satisfying(
    _ condition: AggregateCondition?,
    of aggregations: [Aggregation],
    keeping count: Int
  ) -> [AggregateRow] {
    guard let condition else { return self }
    return compactMap { row -> AggregateRow? in
      let results = Dictionary(
        zip(aggregations, row.values).map { ($0, $1) },
        uniquingKeysWith: { first, _ in first }
      )
      guard condition.holds(for: results) == true else { return nil }
      return AggregateRow(keys: row.keys, values: [Value?](row.values.prefix(count)))
    }
  }
}
