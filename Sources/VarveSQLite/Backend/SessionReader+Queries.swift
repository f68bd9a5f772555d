import VarveCore

extension SessionReader {
  func fetch(_ query: Query) async throws -> [StoredEntity] {
    try reading {
      if let page = try firstPage(query) { return page }
      guard let (statement, reader) = try selection(query, isShared: true) else { return [] }
      defer { statement.reset() }
      var entities: [StoredEntity] = []
      var size = ResultSize()
      while try statement.step() {
        try size.add(statement.rowByteCount)
        entities.append(try reader.entity(statement))
      }
      return entities
    }
  }

  /// Returns a page of a past state if it is the first read of one and needs no tables.
  private func firstPage(_ query: Query) throws -> [StoredEntity]? {
    guard let moments, !session.hasReadPastPage, session.past == nil, session.pastNotes == nil,
      !ResultSize().isBounded, let needed = query.rowsFromFirst,
      let type = session.catalogue.typeNumbers[query.type]
    else { return nil }
    try query.validateForRunning()
    try session.writeBufferedRow()
    session.hasReadPastPage = true
    return try session.firstPage(of: type, count: needed, moments).map {
      Array($0.dropFirst(query.offset))
    }
  }

  func fetch(
    _ query: Query,
    pageSize: Int,
    _ body: ([StoredEntity]) async throws -> Bool
  ) async throws {
    guard let (statement, reader) = try reading({ try ownSelection(query) }) else { return }
    while true {
      let page = try reader.page(statement, size: pageSize)
      guard !page.isEmpty, try await body(page), page.count == pageSize else { return }
    }
  }

  private func ownSelection(_ query: Query) throws -> (Statement, RowReader)? {
    // Other reads may happen between two pages, and must not change the tables of this state.
    try makeTables()
    return try selection(query, isShared: false)
  }

  private func selection(_ query: Query, isShared: Bool) throws -> (Statement, RowReader)? {
    guard let plan = try plan(query) else { return nil }
    let reader = try rowReader(plan)
    let sql = try plan.compiler.select(reader.columns)
    return (try statement(sql, of: plan, isShared: isShared && plan.isPresent), reader)
  }

  private func rowReader(_ plan: QueryPlan) throws -> RowReader {
    guard let types = plan.types else { return try rowReader(plan.main) }
    return RowReader(plan.main, shape: EntityShape(of: plan.main.layout), types: types)
  }

  func ids(of query: Query) async throws -> [EntityID] {
    try reading {
      if let found = try lookUp(query) { return found }
      guard let plan = try plan(query) else { return [] }
      let sql = try plan.compiler.select(["\(plan.main.alias).id"])
      let statement = try statement(sql, of: plan, isShared: plan.isPresent)
      defer { statement.reset() }
      var ids: [EntityID] = []
      var seen: Set<EntityID> = []
      var size = ResultSize()
      while try statement.step() {
        let id = try statement.id(0)
        try size.add(id)
        // A join may repeat an entity.
        if query.joins.isEmpty || seen.insert(id).inserted { ids.append(id) }
      }
      return ids
    }
  }

  func count(_ query: Query) async throws -> Int {
    try reading { try count(of: query) }
  }

  func count(of query: Query) throws -> Int {
    guard let plan = try plan(query) else { return 0 }
    let statement = try statement(plan.compiler.count(), of: plan)
    return try statement.step() ? Int(statement.int(0)) : 0
  }

  func values(of fields: [Field], in query: Query) async throws -> [[Value?]] {
    try reading {
      guard let plan = try plan(query, reading: fields) else { return [] }
      let statement = try statement(plan.compiler.select(values: fields), of: plan)
      var rows: [[Value?]] = []
      while try statement.step() {
        rows.append(
          try fields.indices.map { index in
            let position = Int32(index)
            return statement.isNull(position) ? nil : try Value(encoded: statement.blob(position))
          }
        )
      }
      return rows
    }
  }

  // MARK: Models

  func rows<Result>(
    _ query: Query,
    _ shape: RowShape,
    _ body: (any RowCursor) async throws -> Result
  ) async throws -> Result {
    guard let cursor = try reading({ try cursor(query, shape) })
    else { return try await body(EntityCursor(shape)) }
    defer { cursor.end() }
    return try await body(cursor)
  }

  private func cursor(_ query: Query, _ shape: RowShape) throws -> StatementCursor? {
    guard let plan = try plan(query) else { return nil }
    let shapePlan = ShapePlan(
      shape,
      plan.main,
      hasTypes: plan.types != nil
    )
    let sql = try plan.compiler.select(shapePlan.columns)
    let statement = try statement(sql, of: plan, isShared: plan.isPresent)
    return StatementCursor(statement, shapePlan, type: query.type, types: plan.types ?? [:])
  }

  func row<Result>(
    _ id: EntityID,
    of types: [EntityType],
    _ shape: RowShape,
    _ body: (any RowCursor) throws -> Result
  ) async throws -> Result? {
    if moment == .now { return try session.row(id, of: types, shape, body) }
    guard let entity = try await entity(id), types.contains(entity.type) else { return nil }
    let cursor = EntityCursor(shape, [entity])
    _ = try cursor.advance()
    return try body(cursor)
  }

  // MARK: Looking at queries

  func tables() async throws -> [EntityType: String]? {
    try reading {
      // A view that Varve did not create may read any of them.
      let views = try session.connection.ownStatement(
        "SELECT 1 FROM main.sqlite_master WHERE type = 'view' AND name NOT LIKE 'varve\\_%' ESCAPE '\\'"
      )
      guard try !views.step() else { return nil }
      return session.callerTables.names.names
    }
  }

  func knownKeys(of type: EntityType) async throws -> [KnownKey] {
    try reading {
      (layout(of: type)?.columns ?? []).map { column in
        KnownKey(
          column.key,
          column.kind,
          mayHaveOthers: column.hasOtherKinds,
          isIndexed: column.isIndexed
        )
      }.sorted { $0.key < $1.key }
    }
  }

  func sql(_ query: Query) async throws -> SQLText {
    try reading {
      try query.validate()
      try makeTables()
      return PlainQuery(
        query,
        layout: { self.layout(of: $0) },
        isNamedAsStored: { self.isNamedAsStored($0) }
      ).text
    }
  }

  func explain(_ query: Query) async throws -> String {
    try reading {
      guard let plan = try plan(query) else { return "nothing: no entity has had the type" }
      let sql = try plan.compiler.select(try rowReader(plan).columns)
      let statement = try session.connection.query(
        SQLFragment("EXPLAIN QUERY PLAN " + plan.namedTables + sql.text, sql.bindings),
        isShared: false
      )
      var lines = [sql.text]
      while try statement.step() { lines.append(statement.text(3)) }
      return lines.joined(separator: "\n")
    }
  }

  func isIndexed(_ keys: [PropertyKey], of type: EntityType) async throws -> Bool {
    try reading { try session.catalogue.hasIndex(on: keys, of: type) }
  }

  func isSearched(_ wishes: [SearchWish], of type: EntityType) async throws -> Bool {
    try reading { try session.hasSearch(on: wishes, of: type) }
  }

  // MARK: Statements

  /// Returns a bound statement of a query, after the tables that SQL of the caller names in it.
  func statement(
    _ sql: SQLFragment,
    of plan: QueryPlan,
    isShared: Bool = false
  ) throws -> Statement {
    try session.connection.query(
      plan.namedTables.isEmpty ? sql : SQLFragment(plan.namedTables) + sql,
      isShared: isShared
    )
  }
}

extension EntityShape {
  /// The keys of a table's rows.
  convenience init(of layout: TableLayout) {
    self.init(
      keys: layout.columns.map(\.key),
      semanticTypes: layout.columns.map(\.semanticType)
    )
  }
}
