import VarveCore
public import VarveEntities

extension Reading {
  /// Returns the issues of a model's entities: violated rules, duplicates of unique values, rows
  /// that cannot be read, references that disagree with their edges, and lists that repeat targets
  /// without meaning to. Keys that the model does not declare are listed too, for information.
  ///
  /// ```swift
  /// for issue in try await store.issues(of: Hat.self) {
  ///   if case .duplicate(let double) = issue {
  ///     try await store.mergeDuplicates(double.entities.dropFirst(), into: double.entities[0])
  ///   }
  /// }
  /// ```
  ///
  /// To-many relations are not loaded for the rules. Past states can be checked too.
  ///
  /// - Returns: violations, unreadable rows, disagreements and repetitions in creation order, then
  ///   duplicates, then unknown keys.
  /// - Throws: ``VarveError`` if the store cannot be read; the errors of the model's own rules.
  /// - Complexity: O(entities of the model × log of them for each list of unique keys).
  public func issues<Model: Persistable>(of model: Model.Type) async throws -> [StoreIssue] {
    var issues: [StoreIssue] = []
    try await forEachIssue(of: model) { issue in
      issues.append(issue)
      return true
    }
    return issues
  }

  /// Calls the body with the issues one by one until it returns false. Memory holds only one page
  /// of entities.
  public func forEachIssue<Model: Persistable>(
    of model: Model.Type,
    _ body: (StoreIssue) async throws -> Bool
  ) async throws {
    if let refusal = Model.schema.refusal { throw refusal }
    try await reading { state in
      var finding = ModelIssues<Model>()
      guard try await finding.forEachBroken(in: state, body) else { return }
      for unique in Model.schema.uniques {
        let columns = unique.map { Model.schema.columns[$0] }
        let grouping = DuplicateGrouping(
          Model.schema.type,
          columns.map { PropertyKey($0.name) },
          columns.map(\.field)
        )
        let goesOn = try await state.forEachDuplicate(grouping, of: Model.schema.types) {
          try await body(.duplicate($0))
        }
        guard goesOn else { return }
      }
      for (key, count) in finding.unknownKeys.sorted(by: { $0.key < $1.key }) {
        let unknown = StoreIssue.UnknownKey(type: Model.schema.type, key: key, entityCount: count)
        guard try await body(.unknownKey(unknown)) else { return }
      }
    }
  }
}

/// Finds the issues of a model's entities in one pass.
private struct ModelIssues<Model: Persistable> {
  /// The number of entities with each key that the schema does not have.
  private(set) var unknownKeys: [PropertyKey: Int] = [:]

  /// Calls the body with the issues of single entities until it returns false. Returns whether it
  /// never did.
  mutating func forEachBroken(
    in state: StateReader,
    _ body: (StoreIssue) async throws -> Bool
  ) async throws -> Bool {
    let schema = Model.schema
    let known = schema.knownKeys
    var counts: [PropertyKey: Int] = [:]
    var goesOn = true
    let lists = schema.fields.filter { $0.relation?.isList == true }
    var seen = SeenCommits()
    let query = Query(schema.type).including(schema.types)
    try await state.reader.fetch(query, pageSize: 1_000) { page in
      for entity in page {
        for key in entity.keys where !known.contains(key) { counts[key, default: 0] += 1 }
        var issues = try Self.issue(entity).map { [$0] } ?? []
        issues += try await Self.disagreements(of: entity, in: state)
        for list in lists {
          issues += try await state.repetitions(of: entity.id, PropertyKey(list.name), &seen)
            .map { .repetition($0) }
        }
        for issue in issues {
          goesOn = try await body(issue)
          if !goesOn { return false }
        }
      }
      return true
    }
    unknownKeys = counts
    return goesOn
  }

  private static func disagreements(
    of entity: StoredEntity,
    in state: StateReader
  ) async throws -> [StoreIssue] {
    var issues: [StoreIssue] = []
    for field in Model.schema.fields {
      // A value under an older name has the edges of that name until it is saved again.
      guard let relation = field.relation, !relation.isToMany,
        field.column.older.allSatisfy({ entity[$0] == nil })
      else { continue }
      let end = relation.target()
      let inverses = end.inverses(field.keyPath)
      for edges in relation.edges(of: entity.id, PropertyKey(field.name), inverses: inverses) {
        let disagreement = try await state.disagreement(of: entity, edges.edge) { other in
          try await state.reader.label(of: other).map(end.types.contains) ?? false
        }
        if let disagreement { issues.append(.disagreement(disagreement)) }
      }
    }
    return issues
  }

  private static func issue(_ entity: StoredEntity) throws -> StoreIssue? {
    let rows = EntityRows(EntityCursor(Model.schema.shape, [entity]), type: Model.schema.type)
    let models = try Model.readAll(rows)
    if let unreadable = rows.unreadable.first { return .unreadable(unreadable) }
    guard let model = models.first else { return nil }
    let violations = try model.validated().errors
    guard !violations.isEmpty else { return nil }
    return .broken(StoreIssue.Broken(entity: entity.id, type: entity.type, violations: violations))
  }
}

extension ModelRelation {
  /// Whether it shows every add of a target.
  fileprivate var isList: Bool {
    isToMany && option.inverse == nil && option.collection == .list
  }
}
