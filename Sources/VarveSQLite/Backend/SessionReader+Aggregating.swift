import VarveCore

/// Aggregates of a query's rows.
extension SessionReader {
  func aggregate(
    _ query: Query,
    by keys: [Field],
    _ aggregations: [Aggregation]
  ) async throws -> [AggregateRow] {
    let rows = try reading {
      try aggregateBySQL(query, by: keys, aggregations)
    }
    if let rows { return rows }
    let looked = try await self.rows(of: query, for: aggregations, by: keys)
    return try Aggregation.evaluate(aggregations, by: keys, over: looked)
  }

  /// Returns nil if columns hold values of several kinds, which SQL's functions do not distinguish.
  private func aggregateBySQL(
    _ query: Query,
    by keys: [Field],
    _ aggregations: [Aggregation]
  ) throws -> [AggregateRow]? {
    guard let plan = try plan(query, reading: keys + aggregations.compactMap(\.field)) else {
      return try Aggregation.evaluate(aggregations, by: keys, over: [])
    }
    if aggregations.contains(where: \.isTellingOfDoubles) {
      let rows = try aggregateBySQL(plan, by: keys, aggregations, withDoubles: true)
      guard let rows, rows.areTouchedByDoubles(aggregations) else { return rows }
    }
    return try aggregateBySQL(plan, by: keys, aggregations, withDoubles: false)
  }

  private func aggregateBySQL(
    _ plan: QueryPlan,
    by keys: [Field],
    _ aggregations: [Aggregation],
    withDoubles: Bool
  ) throws -> [AggregateRow]? {
    let sql = try plan.compiler.aggregate(by: keys, aggregations, withDoubles: withDoubles)
    guard let sql else { return nil }
    let keyKinds = try keys.map { try plan.compiler.plainKind($0) ?? .string }
    let kinds = try aggregations.map { aggregation in
      try aggregation.field.flatMap { try plan.compiler.plainKind($0) } ?? .int
    }
    let statement = try statement(sql, of: plan)
    var rows: [AggregateRow] = []
    var size = ResultSize()
    while true {
      // A partial sum may overflow even if the total does not.
      guard let hasRow = try statement.stepSumming() else { return nil }
      guard hasRow else { return rows }
      try size.add(statement.rowByteCount)
      var position: Int32 = 0
      let read = { (kind: Value.Kind) -> Value? in
        defer { position += 1 }
        return try statement.value(position, kind)
      }
      let groupKeys = try keyKinds.map { try read($0) }
      let values = try zip(aggregations, kinds).map { aggregation, kind in
        switch aggregation.function {
        case .count, .countDistinct, .sum: try read(.int)
        case .average: try read(.double)
        case .minimum, .maximum: try read(kind)
        }
      }
      rows.append(AggregateRow(keys: groupKeys, values: values))
    }
  }
}

extension Aggregation {
  /// Whether only integers count, and a result over all numbers that is an integer is the same as
  /// that over integers: a sum with a double is a double, and so is a double that is the greatest
  /// or least number.
  ///
  /// Looking at the kind of every number would cost a quarter more. Columns that should have
  /// integers seldom have doubles.
  var isTellingOfDoubles: Bool {
    guard kind == .int, integers == nil else { return false }
    return switch function {
    case .sum, .minimum, .maximum: true
    case .count, .countDistinct, .average: false
    }
  }
}

extension [AggregateRow] {
  /// Whether a double was the result, or part of it, where only integers count.
  fileprivate func areTouchedByDoubles(_ aggregations: [Aggregation]) -> Bool {
    contains { row in
      zip(aggregations, row.values).contains { aggregation, value in
        guard aggregation.isTellingOfDoubles, case .double? = value else { return false }
        return true
      }
    }
  }
}
