import VarveCore

/// A query with the tables that it reads.
struct QueryPlan {
  let compiler: QueryCompiler
  /// The types by number, if one table holds the rows of several.
  let types: [Int64: EntityType]?
  /// Whether the tables are those of the present, so that prepared statements can be kept.
  let isPresent: Bool

  var main: TableSource { compiler.main }
}

extension SessionReader {
  /// Returns the plan of a query, or nil if no entity has had the query's type.
  ///
  /// - Parameter fields: the fields to read of its rows, beside those that the query itself uses.
  func plan(_ query: Query, reading fields: [Field] = []) throws -> QueryPlan? {
    try query.validateForRunning()
    try session.writeBufferedRow()
    try makeTables(for: query)
    // Custom SQL refers to tables by their names. Joins do too if one name is not enough.
    let isNamed = query.hasRawSQL || !query.joins.isEmpty
    var joined: [EntityType: TableSource] = [:]
    var isPresent = true
    for type in query.joinedTypes {
      guard let layout = layout(of: type) else { return nil }
      let isOwn = type == query.type
      joined[type] = source(
        layout,
        alias: isOwn ? QueryCompiler.ownTypeJoined : layout.table.quotedIdentifier,
        naming: query.hasRawSQL ? query.joinedKeys[type] : nil
      )
      if isPatched(layout) { isPresent = false }
    }
    let layouts = ([query.type] + query.subtypes).compactMap { layout(of: $0) }
    guard let first = layouts.first else { return nil }
    let table = layout(of: query.type)?.table ?? query.type.text
    let alias = isNamed ? table.quotedIdentifier : "t"
    let isUnion = layouts.count > 1
    if layouts.contains(where: isPatched) { isPresent = false }
    let main =
      isUnion
      ? union(
        layouts,
        as: query.type,
        alias: alias,
        naming: query.hasRawSQL ? query.knownKeys : nil
      )
      : source(first, alias: alias, naming: query.hasRawSQL ? query.knownKeys : nil)
    let types = Dictionary(
      layouts.map { ($0.typeNumber, $0.type) },
      uniquingKeysWith: { first, _ in first }
    )
    let used = query.fields + fields + query.condition.existing.map(\.own)
    if !query.related.isEmpty || !fields.flatMap(\.related).isEmpty {
      isPresent = false
      followElements()
    }
    if query.hasRelevance || fields.contains(where: \.isRelevance) { isPresent = false }
    /// Returns the tables of the fields of a search.
    func searched(_ fields: [Field]) -> (source: TableSource, layouts: [TableLayout]) {
      guard let name = fields.compactMap(\.joinedType).first, let layout = layout(of: name),
        let source = joined[name]
      else { return (main, layouts) }
      return (source, [layout])
    }
    return QueryPlan(
      compiler: try QueryCompiler(
        query,
        main: main,
        joined: joined,
        usesIdentities: moment == .now,
        subquery: subquery,
        search: { text, fields in
          let (source, layouts) = searched(fields)
          return try self.search(text, fields, in: source, of: layouts)
        },
        relevance: { text, fields in
          let (source, layouts) = searched(fields)
          return try self.relevance(text, fields, in: source, of: layouts)
        }
      ).computing(used),
      types: isUnion ? types : nil,
      isPresent: isPresent && moment == .now
    )
  }

  /// Returns the compiler of a query within another.
  private func subquery(_ query: Query, _ depth: Int) throws -> QueryCompiler? {
    let layouts = ([query.type] + query.subtypes).compactMap { layout(of: $0) }
    guard let first = layouts.first else { return nil }
    let alias = "varve_r\(depth)"
    let main =
      layouts.count > 1
      ? union(layouts, as: query.type, alias: alias, naming: nil) : source(first, alias: alias)
    return QueryCompiler(
      query,
      main: main,
      usesIdentities: moment == .now,
      depth: depth,
      subquery: subquery,
      search: { try self.search($0, $1, in: main, of: layouts) },
      relevance: { try self.relevance($0, $1, in: main, of: layouts) }
    )
  }

  /// Makes SQL see the elements of to-many properties in this state.
  private func followElements() {
    session.elements = { [unowned self] id, keys in
      let key = try keys.count > 1 ? keys.first { try isList(id, $0) } ?? keys[0] : keys[0]
      return try elementsNow(of: id, key: key).map(\.target)
    }
  }

  func layout(of type: EntityType) -> TableLayout? {
    session.catalogue.typeNumbers[type].flatMap { layout($0) }
  }

  /// Returns the layout of a type's rows at the moment.
  func layout(_ type: Int64) -> TableLayout? {
    past?.layouts[type] ?? session.catalogue.layouts[type]
  }

  func isPatched(_ layout: TableLayout) -> Bool {
    past?.layouts[layout.typeNumber] != nil
  }

  /// Returns the table of a type at the moment.
  ///
  /// - Parameter keys: the columns that custom SQL may use before any entity has them.
  func source(
    _ layout: TableLayout,
    alias: String,
    naming keys: Set<PropertyKey>? = nil
  ) -> TableSource {
    let isPatched = isPatched(layout)
    let table =
      isPatched ? PastTables.source(layout) : "main.\(layout.table.quotedIdentifier)"
    let sql = layout.naming(keys ?? [], in: table)
    guard isPatched else { return TableSource(layout, sql: sql, alias: alias) }
    if layout.isInOrder, past?.order.disordered.contains(layout.typeNumber) != true {
      return TableSource(layout, sql: sql, alias: alias, creationOrder: "\(alias).row")
    }
    return TableSource(
      layout,
      sql: sql,
      alias: alias,
      creationOrder: "\(alias).datestamp, varve_stamp(\(alias).varve_born), \(alias).ordinal"
    )
  }

  /// Returns the tables of several types as one, under the name of their base.
  private func union(
    _ layouts: [TableLayout],
    as type: EntityType,
    alias: String,
    naming keys: Set<PropertyKey>?
  ) -> TableSource {
    let union = TableUnion(layouts, as: type)
    let branches = layouts.map { layout in
      union.branch(of: layout, from: source(layout, alias: "m").sql, isPatched: isPatched(layout))
    }
    let sql = "(" + branches.joined(separator: " UNION ALL ") + ")"
    return TableSource(
      union.layout,
      sql: union.layout.naming(keys ?? [], in: sql),
      alias: alias,
      creationOrder: "\(alias).datestamp, varve_stamp(\(alias).varve_born), \(alias).ordinal"
    )
  }
}

extension Field {
  /// Whether the field is the relevance of a search.
  fileprivate var isRelevance: Bool {
    if case .relevance = stored { true } else { false }
  }
}
