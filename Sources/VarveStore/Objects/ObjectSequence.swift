import VarveCore

/// A sequence of all objects of a kind and its subclasses' kinds, as returned by
/// ``Objects/stream(_:_:unreadable:)``.
public struct ObjectSequence<Object: StoredObject>: AsyncSequence {
  /// The type of the elements.
  public typealias Element = Object
  /// The type of the errors.
  public typealias Failure = any Error

  let objects: Objects
  let query: Query?
  let unreadable: (UnreadableRow) -> Void

  /// Creates an iterator, which reads nothing before its first object is requested.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator of the sequence.
  public final class Iterator: AsyncIteratorProtocol {
    private let objects: Objects
    private let query: Query?
    private let unreadable: (UnreadableRow) -> Void
    private let mark: Int
    private var source: Source?

    private struct Found {
      let id: EntityID
      let kind: EntityType
      var entity: StoredEntity?
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

    /// Returns the next readable object, or nil after the last.
    public func next(isolation: isolated (any Actor)? = #isolation) async throws -> Object? {
      try await nextReadable()
    }

    /// Returns the next readable object, or nil after the last.
    public func next() async throws -> Object? { try await nextReadable() }

    private func nextReadable() async throws -> Object? {
      guard let query else {
        throw VarveError(
          .unregisteredKind,
          "no class is registered for the kind \"\(Object.kind)\" or a subclass of it",
          at: "kind \(Object.kind)",
          remedy: "Register its class with the context."
        )
      }
      if source == nil {
        try objects.store.refuseInsideOwnWrite("stream")
        source = try await begin(query)
      }
      while let found = try await nextFound() {
        let id = found.id
        do {
          return try await object(found)
        } catch let error where error.isAboutOneObject {
          try objects.pass(over: error, id, found.kind, unreadable)
        }
      }
      return nil
    }

    /// An in-memory store blocks writers while it is read, so only identifiers are read ahead.
    private func begin(_ query: Query) async throws -> Source {
      guard !objects.store.backend.readsDuringWrites else {
        return .entities(objects.store.stream(query, pageSize: 100).makeAsyncIterator())
      }
      let shape = RowShape([])
      let ids = try await objects.store.reading { state in
        try await state.reader.rows(query, shape) { cursor in
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
  /// Loads all objects of a class and of its registered subclasses, one by one. Live objects are
  /// returned as they are; the others are loaded when their turn comes.
  ///
  /// ```swift
  /// for try await shape in objects.stream(Shape.self) { print(shape.id) }
  ///
  /// let wide = objects.stream(Square.self) { $0.where(Field("side") > 10).order(by: Field("side")) }
  /// ```
  ///
  /// The set of objects is determined when the iteration begins; each object has its state at the
  /// time it is returned. Unreadable objects are skipped and logged, unless
  /// ``Store/Configuration/unreadableRows`` refuses them. Memory use is constant if the
  /// caller retains no objects; an in-memory store additionally needs memory for the identifiers.
  ///
  /// - Parameters:
  ///   - type: the class.
  ///   - narrow: adds conditions, an order and a window to the query; the default order is creation
  ///     order.
  ///   - unreadable: called for each skipped object.
  public func stream<Object: StoredObject>(
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
  /// Whether the error concerns one object only, so that others can be read.
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
  /// Returns whether this object is missing according to the error, rather than a child.
  fileprivate func isMissing(_ id: EntityID) -> Bool {
    code == .noSuchDocument && entity == id
  }
}

extension Objects {
  /// Skips and logs an object that could not be read, or throws if the store's policy refuses it.
  func pass(
    over error: any Error,
    _ id: EntityID,
    _ kind: EntityType,
    _ unreadable: (UnreadableRow) -> Void = { _ in }
  ) throws {
    // An object that was erased since it was found is not unreadable.
    if (error as? VarveError)?.isMissing(id) == true { return }
    if store.configuration.unreadableRows == .refuse { throw error }
    let row = UnreadableRow(type: kind, id: id, error)
    UnreadableLog.note([row])
    unreadable(row)
  }
}

extension UnreadableRow {
  /// Creates a report of an unreadable object from an error.
  fileprivate init(type: EntityType, id: EntityID, _ error: any Error) {
    let error = error as? VarveError
    switch error?.code {
    case .missingField?: self.init(type: type, id: id, key: error?.property, reason: .missing)
    default:
      self.init(type: type, id: id, key: nil, reason: .failed(error.map { "\($0)" } ?? ""))
    }
  }
}
