import VarveCore

/// A field that a subquery computes, in SQL.
struct ComputedField {
  /// An expression for the encoded value.
  let encoded: String
  /// An expression for the value itself, if all values have one rank.
  var plain: (rank: Int, sql: String)?
}

extension ComputedField {
  /// Creates the field of a number.
  fileprivate init(relevance sql: String) {
    encoded = "varve_value(\(sql), \(Value.Kind.double.rawValue), NULL, 0)"
    plain = (Value.double(0).sortRank, sql)
  }
}

/// Compiles fields that follow relations, as subqueries that refer to the row of the outer query.
extension QueryCompiler {
  /// Returns the compiler with the SQL of the relations that some fields follow.
  func computing(_ fields: [Field]) throws -> QueryCompiler {
    var compiler = self
    for node in fields.flatMap(\.computedNodes) where compiler.main.computed[node] == nil {
      let computed = try compiler.compute(node)
      compiler.main.computed[node] = computed
      for type in joined.keys { compiler.joined[type]?.computed[node] = computed }
    }
    return compiler
  }

  private func compute(_ node: Field) throws -> ComputedField {
    switch node {
    case .ofRelated(let field, let related): try compute(field, of: related)
    case .aggregate(let aggregation, let related): try compute(aggregation, over: related)
    case .relevance(let text, let fields):
      ComputedField(relevance: try relevance(text, fields))
    default: ComputedField(encoded: "NULL")
    }
  }

  private func compute(_ field: Field, of related: RelatedEntities) throws -> ComputedField {
    guard let (sub, rows) = try relatedRows(related, reading: [field]) else {
      return ComputedField(encoded: "NULL")
    }
    let source = try sub.source(field)
    let end = " \(rows.inlined) ORDER BY \(sub.main.creationOrder) LIMIT 1)"
    var computed = ComputedField(encoded: "(SELECT \(source.valueExpression(field))\(end)")
    if let rank = source.onlyRank(field), let value = source.expression(field, rank: rank) {
      computed.plain = (rank, "(SELECT \(value)\(end)")
    }
    return computed
  }

  private func compute(
    _ aggregation: Aggregation,
    over related: RelatedEntities
  ) throws -> ComputedField {
    let fields = aggregation.field.map { [$0] } ?? []
    let found = try relatedRows(related, reading: fields)
    let nothing = SQLFragment.literal(Value.int(0).encoded)
    guard let field = aggregation.field else {
      // In an ORDER BY, SQLite takes a bare number for the position of a column.
      let count = found.map { "(SELECT count(*) \($0.rows.inlined))" } ?? "(0 + 0)"
      let encoded = "varve_value(\(count), \(Value.Kind.int.rawValue), NULL, 0)"
      return ComputedField(encoded: encoded, plain: (Value.int(0).sortRank, count))
    }
    guard let (sub, rows) = found else {
      return ComputedField(encoded: aggregation.function.isCount ? nothing : "NULL")
    }
    let values = try sub.source(field).valueExpression(field.stored)
    let function = SQLFragment.literal(aggregation.described.encoded)
    let result = "(SELECT varve_aggregate(\(values), \(function)) \(rows.inlined))"
    guard aggregation.function.isCount else { return ComputedField(encoded: result) }
    // Without rows, SQLite does not call the function.
    return ComputedField(encoded: "coalesce(\(result), \(nothing))")
  }

  /// Returns the condition that there is a related entity.
  func exists(_ related: RelatedEntities) throws -> SQLFragment {
    guard let (_, rows) = try relatedRows(related, reading: []) else { return SQLFragment("0") }
    return SQLFragment("EXISTS (SELECT 1 ") + rows + SQLFragment(")")
  }

  /// Returns `FROM … WHERE …` of the entities that are related to a row, with the compiler of their
  /// fields; nil if no entity can be.
  private func relatedRows(
    _ related: RelatedEntities,
    reading fields: [Field]
  ) throws -> (compiler: QueryCompiler, rows: SQLFragment)? {
    try related.query.condition.validateDepth()
    guard var sub = try subquery(related.query, depth + 1) else { return nil }
    sub.hidesValues = sub.hidesValues || hidesValues
    let own = related.query.condition.existing.map(\.own)
    sub = try sub.computing(related.query.fields + fields + own)
    guard let link = try linked(related, to: sub) else { return nil }
    guard related.query.condition != .always else { return (sub, link) }
    return (sub, link + SQLFragment(" AND ") + (try sub.compile(related.query.condition)))
  }

  private func linked(_ related: RelatedEntities, to sub: QueryCompiler) throws -> SQLFragment? {
    let row = sub.main.alias
    switch related.link {
    case .elements(let own, let keys):
      guard own.isIdentifier, let id = try source(own).joinOperand(own)?.sql else { return nil }
      let names = SQLFragment.literal(Value.array(keys.map { .string($0.text) }).encoded)
      let element = "varve_e\(sub.depth)"
      let target = "varve_id(\(element).value)"
      return SQLFragment(
        "FROM json_each(varve_elements(\(id), \(names))) AS \(element) "
          + "CROSS JOIN \(sub.main.from) WHERE \(row).row = \(rowNumber(of: target)) "
          + "AND \(row).id = \(target)"
      )
    case .equal(let field, let own):
      if field.isIdentifier || own.isIdentifier { return try referring(field, to: own, sub) }
      let pair = FieldPair(field, own)
      let (left, right) = (pair.left.canonical, pair.right.canonical)
      guard let other = try sub.source(left).joinOperand(left),
        let operand = try source(right).joinOperand(right)
      else { return nil }
      return SQLFragment("FROM \(sub.main.from) WHERE \(JoinOperand.equality(other, operand))")
    }
  }

  /// Returns `FROM … WHERE …` of the rows with a field that is, or refers to, the identifier of the
  /// outer row's field. A text that equals an identifier is no reference.
  private func referring(
    _ field: Field,
    to own: Field,
    _ sub: QueryCompiler
  ) throws -> SQLFragment? {
    let (theirs, ours) = (field.stored.canonical, own.stored.canonical)
    guard let other = try sub.source(theirs).reference(theirs),
      let id = try source(ours).reference(ours)
    else { return nil }
    let rows = "FROM \(sub.main.from) WHERE \(other) = \(id)"
    // An entity table has no index on the identifier.
    guard theirs.inner == .identifier else { return SQLFragment(rows) }
    return SQLFragment("\(rows) AND \(sub.main.alias).row = \(rowNumber(of: id))")
  }

  /// Returns an expression for the number of the row that an identifier has.
  private func rowNumber(of id: String) -> String {
    let now = "(SELECT row FROM main.varve_identity WHERE id = \(id))"
    guard !usesIdentities else { return now }
    return "coalesce((SELECT row FROM temp.varve_past_identity WHERE id = \(id)), \(now))"
  }
}

extension Field {
  /// The parts of the field that follow relations, without interpretation; what a relation's own
  /// field follows before it.
  fileprivate var computedNodes: [Field] {
    switch stored {
    case .ofRelated(_, let related), .aggregate(_, let related):
      related.own.computedNodes + [stored]
    case .relevance: [stored]
    case .inside(let inner, _), .joined(_, let inner): inner.computedNodes
    default: []
    }
  }
}

extension Aggregation {
  /// The aggregation as a value, for the SQL function that computes it.
  var described: Value {
    let interpretation: Int64 =
      field?.isDecimal == true ? 1 : (field?.isFolded == true ? 2 : 0)
    return .array([
      .string(function.rawValue), .int(interpretation), .int(Int64(kind?.rawValue ?? 0)),
      .int(integers?.lowerBound ?? .min), .int(integers?.upperBound ?? .max),
    ])
  }

  /// Creates the aggregation that a value describes.
  init?(describedBy value: Value) {
    guard case .array(let parts) = value, parts.count == 5,
      let function = parts[0].stringValue.flatMap(Function.init(rawValue:)),
      let interpretation = parts[1].intValue, let kind = parts[2].intValue,
      let low = parts[3].intValue, let high = parts[4].intValue, low <= high
    else { return nil }
    let fields: [Field] = [.identifier, .decimal(.identifier), .folded(.identifier)]
    guard fields.indices.contains(Int(interpretation)) else { return nil }
    self.init(
      function,
      of: fields[Int(interpretation)],
      kind: Value.Kind(rawValue: UInt8(truncatingIfNeeded: kind)),
      integers: low == .min && high == .max ? nil : low...high
    )
  }
}
