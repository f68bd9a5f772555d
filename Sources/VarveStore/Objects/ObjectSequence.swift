import VarveCore

/// All objects of a kind and of the kinds below, one after another: what ``Objects/loadAll(_:_:unreadable:)``
/// answers.
public struct ObjectSequence<Object: StoredObject>: AsyncSequence {
  /// What it gives.
  public typealias Element = Object
  /// What it throws.
  public typealias Failure = any Error

  let objects: Objects
  let query: Query?
  let unreadable: (UnreadableRow) -> Void

  /// Begins an iteration. Nothing is read before the first object is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// One iteration.
  public final class Iterator: AsyncIteratorProtocol {
    private let objects: Objects
    private let query: Query?
    private let unreadable: (UnreadableRow) -> Void
    private let mark: Int
    private var source: Source?

    private struct Found {
      let id: EntityID
      let kind: EntityType
      var entity: Entity?
    }

    private enum Source {
      case entities(EntityStream.Iterator)
      case ids(ArraySlice<Found>)
    }

    fileprivate init(_ sequence: ObjectSequence) {
      objects = sequence.objects
      query = sequence.query
      unreadable = sequence.unreadable
      mark = objects.beginLoad()
    }

    deinit { objects.endLoad() }

    /// The next object that can be read, or nil after the last.
    public func next(isolation: isolated (any Actor)? = #isolation) async throws -> Object? {
      try await nextReadable()
    }

    /// The next object that can be read, or nil after the last.
    public func next() async throws -> Object? { try await nextReadable() }

    private func nextReadable() async throws -> Object? {
      guard let query else {
        throw VarveError(
          .unregisteredKind,
          "no class is registered for the kind \"\(Object.kind)\" or one below",
          at: "kind \(Object.kind)",
          remedy: "Register its class with the context."
        )
      }
      if source == nil {
        try objects.store.refuseInsideOwnWrite("loadAll")
        source = try await begin(query)
      }
      while let found = try await nextFound() {
        let id = found.id
        do {
          return try await object(found)
        } catch let error where error.isAboutOneObject {
          // What was erased since the iteration began is not unreadable.
          if (error as? VarveError)?.isMissing(id) == true { continue }
          let row = UnreadableRow(type: found.kind, id: id, error)
          UnreadableLog.note([row])
          unreadable(row)
        }
      }
      return nil
    }

    /// A store in memory keeps writers out while it is read, so only identifiers are read ahead.
    private func begin(_ query: Query) async throws -> Source {
      guard !objects.store.backend.readsDuringWrites else {
        return .entities(objects.store.stream(query, pageSize: 100).makeAsyncIterator())
      }
      let shape = RowShape([])
      let ids = try await objects.store.reading { state in
        try await state.backend.rows(query, shape) { cursor in
          var ids: [Found] = []
          while try cursor.advance() {
            ids.append(Found(id: try cursor.id(), kind: cursor.type()))
          }
          return ids
        }
      }
      return .ids(ids[...])
    }

    private func nextFound() async throws -> Found? {
      switch source {
      case .ids(var ids)?:
        let id = ids.popFirst()
        source = .ids(ids)
        return id
      case .entities(var iterator)?:
        let entity = try await iterator.next()
        source = .entities(iterator)
        return entity.map { Found(id: $0.id, kind: $0.type, entity: $0) }
      case nil: return nil
      }
    }

    private func object(_ found: Found) async throws -> Object {
      objects.noteChanges()
      let id = found.id
      guard let entity = found.entity, objects.map.live(id) == nil,
        !objects.hasChanged(id, since: mark)
      else {
        return try await objects.load(id, as: Object.self)
      }
      let object = try await objects.loadGraph(from: entity, as: Object.self, since: mark)
      return try objects.cast(object)
    }
  }
}

extension Objects {
  /// All objects of a class and of the registered classes below it, one after another. Those that are
  /// alive are given as they are; the others are loaded when their turn comes.
  ///
  /// ```swift
  /// for try await shape in objects.loadAll(Shape.self) { print(shape.id) }
  ///
  /// let wide = objects.loadAll(Square.self) { $0.where(Field("side") > 10).order(by: Field("side")) }
  /// ```
  ///
  /// Which objects there are is decided when the iteration begins, each is as it is when it is given.
  /// What cannot be read is passed over and logged. Memory stays flat, where the caller keeps no
  /// objects; a store in memory needs that of the identifiers.
  ///
  /// - Parameters:
  ///   - type: the class.
  ///   - narrow: adds conditions, an order and a window to the query for all of them; without an order
  ///     they come in that of their creation.
  ///   - unreadable: told of what is passed over.
  public func loadAll<Object: StoredObject>(
    _ type: Object.Type,
    _ narrow: (Query) -> Query = { $0 },
    unreadable: @escaping (UnreadableRow) -> Void = { _ in }
  ) -> ObjectSequence<Object> {
    let kinds = classes.filter { $1 is Object.Type }.keys.sorted()
    let query = kinds.first.map { Query($0).including(Array(kinds.dropFirst())) }
    return ObjectSequence(objects: self, query: query.map(narrow), unreadable: unreadable)
  }
}

extension Error {
  /// Whether it says something of one object, so that others can be read.
  var isAboutOneObject: Bool {
    if self is CancellationError { return false }
    guard let error = self as? VarveError else { return true }
    switch error.code {
    case .noSuchDocument, .malformedDocument, .unregisteredKind, .kindMismatch, .missingField,
      .fieldType, .unsupportedValue, .typeMismatch:
      return true
    default: return false
    }
  }
}

extension VarveError {
  /// Whether it says that this very object is not there, rather than a child.
  fileprivate func isMissing(_ id: EntityID) -> Bool {
    code == .noSuchDocument && place == "entity \(id)"
  }
}

extension UnreadableRow {
  /// What an error says of an object.
  fileprivate init(type: EntityType, id: EntityID, _ error: any Error) {
    let error = error as? VarveError
    let key = error?.place?.split(separator: ", property ").last.map { PropertyKey(String($0)) }
    switch error?.code {
    case .missingField?: self.init(type: type, id: id, key: key, reason: .missing)
    default:
      self.init(type: type, id: id, key: nil, reason: .failed(error.map { "\($0)" } ?? ""))
    }
  }
}
