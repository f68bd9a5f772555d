public import VarveCore
import VarveEntities

extension Objects {
  /// Loads all objects of a class and of its registered subclasses that satisfy a condition on
  /// their stored properties.
  ///
  /// ```swift
  /// let wide = try await objects.loadAll(Square.self) { $0.side > 10 }
  /// ```
  ///
  /// The condition is about stored values: an unsaved edit counts once it is saved. Live objects
  /// are returned as they are. Unreadable objects are skipped and logged, as by
  /// ``stream(_:_:unreadable:)``.
  ///
  /// - Parameters:
  ///   - type: the class.
  ///   - condition: the condition; none by default.
  /// - Returns: the objects in creation order.
  /// - Throws: ``VarveError``: `unknownProperty` for a property that the class does not store,
  ///   `unregisteredKind`, and the errors of reading the store.
  /// - Complexity: O(objects of the class), or O(objects found × log objects) with an index.
  public func loadAll<Object: StoredObject>(
    _ type: Object.Type,
    where condition: (ObjectColumns<Object>) -> Condition = { _ in .always }
  ) async throws -> [Object] {
    try await all(query(type, condition))
  }

  /// Loads all objects of a class that satisfy a condition, in the order of a property.
  ///
  /// ```swift
  /// let largest = try await objects.loadAll(Square.self, by: \.side, descending: true, limit: 3)
  /// ```
  ///
  /// - Throws: as ``loadAll(_:where:)``.
  public func loadAll<Object: StoredObject, V>(
    _ type: Object.Type,
    by keyPath: KeyPath<Object, V>,
    descending isDescending: Bool = false,
    limit: Int? = nil,
    where condition: (ObjectColumns<Object>) -> Condition = { _ in .always }
  ) async throws -> [Object] {
    let field = ObjectColumns<Object>().field(keyPath, V.self)
    let query = query(type, condition)?.order(by: field, descending: isDescending)
    return try await all(limit.flatMap { query?.limit($0) } ?? query)
  }

  /// Loads the objects of a class that link to an object: the inverse of a ``Child`` or a ``Lazy``.
  ///
  /// ```swift
  /// let drawings = try await objects.referrers(Drawing.self, to: square, by: \.square)
  /// ```
  ///
  /// The property gets an index when it is first followed backwards, if the store is writable.
  ///
  /// - Returns: the objects whose stored link leads to this one, in creation order.
  /// - Throws: as ``loadAll(_:where:)``.
  public func referrers<Object: StoredObject, Link: SingleLink>(
    _ type: Object.Type = Object.self,
    to target: any StoredObject,
    by keyPath: KeyPath<Object, Link>
  ) async throws -> [Object] {
    let field = ObjectColumns<Object>().field(keyPath, Link.self)
    let query = query(type) { _ in .compare(field, .equal, .reference(target.id)) }
    if case .property(let key) = field, let query {
      let types = query.types ?? []
      try await store.prepare(types.sorted().map { WantedIndex(type: $0, key: key) })
    }
    return try await all(query)
  }

  /// Loads the objects of a class that link to an object in a list.
  ///
  /// ```swift
  /// let folders = try await objects.referrers(Folder.self, to: note, by: \.notes)
  /// ```
  ///
  /// - Returns: the objects whose stored list contains this one, in creation order.
  /// - Throws: as ``loadAll(_:where:)``.
  /// - Complexity: O(objects of the class): no index serves lists.
  public func referrers<Object: StoredObject, Link: SingleLink>(
    _ type: Object.Type = Object.self,
    to target: any StoredObject,
    by keyPath: KeyPath<Object, [Link]>
  ) async throws -> [Object] {
    let field = ObjectColumns<Object>().field(keyPath, [Link].self)
    guard case .property(let key) = field else { return [] }
    guard let query = query(type, { _ in .not(.isMissing(field)) }) else {
      return try await all(nil)
    }
    var holders: [StoredEntity] = []
    for entity in try await store.fetch(query) {
      guard case .array(let elements) = entity[key] else { continue }
      if elements.contains(.reference(target.id)) { holders.append(entity) }
    }
    var found: [Object] = []
    for holder in holders {
      do {
        found.append(try await load(holder.id))
      } catch let error where error.isAboutOneObject {
        try pass(over: error, holder.id, holder.type)
      }
    }
    return found
  }

  /// Returns the query of a class and its registered subclasses; nil if none is registered.
  func query<Object: StoredObject>(
    _ type: Object.Type,
    _ condition: (ObjectColumns<Object>) -> Condition
  ) -> Query? {
    let kinds = classes.filter { $1 is Object.Type }.keys.sorted()
    guard let first = kinds.first else { return nil }
    let columns = ObjectColumns<Object>()
    var query = Query(first).including(Array(kinds.dropFirst())).where(condition(columns))
    query.knownKeys = columns.known
    return query
  }

  private func all<Object: StoredObject>(_ query: Query?) async throws -> [Object] {
    var found: [Object] = []
    for try await object in ObjectSequence<Object>(
      objects: self,
      query: query,
      unreadable: { _ in }
    ) {
      found.append(object)
    }
    return found
  }
}
