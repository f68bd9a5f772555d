import VarveCore

/// A query with the tables that it reads.
struct QueryPlan {
  let compiler: QueryCompiler
  /// The types by number, if one table holds the rows of several.
  let types: [Int64: EntityType]?
  /// Whether the tables are those of the present, so that prepared statements can be kept.
  let isPresent: Bool
  /// The tables that SQL of the caller names, as what stands before the query.
  let namedTables: String

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
    let names = isNamed ? session.callerTables.names : SQLNames(types: [EntityType]())
    var joined: [EntityType: TableSource] = [:]
    var isPresent = true
    for type in query.joinedTypes {
      guard let layout = layout(of: type) else { return nil }
      let isOwn = type == query.type
      joined[type] = source(
        layout,
        alias: isOwn
          ? QueryCompiler.ownTypeJoined : (names[type] ?? layout.table).quotedIdentifier,
        forCallerKnowing: query.hasRawSQL ? query.joinedKeys[type] ?? [] : nil
      )
      if isPatched(layout) { isPresent = false }
    }
    let layouts = ([query.type] + query.subtypes).compactMap { layout(of: $0) }
    guard let first = layouts.first else { return nil }
    let alias = isNamed ? (names[query.type] ?? query.type.text).quotedIdentifier : "t"
    let knownKeys = query.hasRawSQL ? query.knownKeys ?? [] : nil
    let isUnion = layouts.count > 1
    if layouts.contains(where: isPatched) { isPresent = false }
    let main =
      isUnion
      ? union(
        layouts,
        as: query.type,
        alias: alias,
        forCallerKnowing: knownKeys
      )
      : source(first, alias: alias, forCallerKnowing: knownKeys)
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
      isPresent: isPresent && moment == .now,
      namedTables: namedTables(in: query)
    )
  }

  /// Returns the compiler of a query within another.
  private func subquery(_ query: Query, _ depth: Int) throws -> QueryCompiler? {
    let layouts = ([query.type] + query.subtypes).compactMap { layout(of: $0) }
    guard let first = layouts.first else { return nil }
    let alias = "varve_r\(depth)"
    let main =
      layouts.count > 1
      ? union(layouts, as: query.type, alias: alias) : source(first, alias: alias)
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
  /// - Parameter keys: if SQL of the caller names the columns, the keys that it may use before any
  ///   entity has them.
  func source(
    _ stored: TableLayout,
    alias: String,
    forCallerKnowing keys: Set<PropertyKey>? = nil
  ) -> TableSource {
    let isPatched = isPatched(stored)
    let table =
      isPatched ? PastTables.source(stored) : "main.\(stored.table.quotedIdentifier)"
    let (layout, sql) = named(stored, in: table, keys, isPatched ? ["varve_born"] : [])
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

  /// Returns a table under the names that SQL of the caller uses, if it does not have them.
  private func named(
    _ layout: TableLayout,
    in table: String,
    _ keys: Set<PropertyKey>?,
    _ furtherColumns: [String]
  ) -> (layout: TableLayout, sql: String) {
    guard let keys else { return (layout, table) }
    let columns = CallerColumns(layout, knowing: keys)
    guard !columns.areStored else { return (layout, table) }
    let (renamed, select) = columns.renamed(reserving: furtherColumns)
    return (renamed, "(SELECT \(select) FROM \(table))")
  }

  /// Returns the tables of several types as one, under the name of their base.
  private func union(
    _ layouts: [TableLayout],
    as type: EntityType,
    alias: String,
    forCallerKnowing keys: Set<PropertyKey>? = nil
  ) -> TableSource {
    let sources = layouts.map { source($0, alias: "m", forCallerKnowing: keys.map { _ in [] }) }
    let union = TableUnion(sources.map(\.layout), as: type)
    let branches = sources.map { source in
      union.branch(of: source.layout, from: source.sql, isPatched: isPatched(source.layout))
    }
    let rows = "(" + branches.joined(separator: " UNION ALL ") + ")"
    let (layout, sql) = named(union.layout, in: rows, keys, ["varve_born", "varve_type"])
    return TableSource(
      layout,
      sql: sql,
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
