public import VarveCore
public import VarveEntities
import VarveModels

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
    private var source: EntityStream.Iterator?

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
        source = objects.store.stream(query, pageSize: 100).makeAsyncIterator()
      }
      while let entity = try await nextFound() {
        do {
          return try await object(entity)
        } catch let error where error.isAboutOneObject {
          try objects.pass(over: error, entity.id, entity.type, unreadable)
        }
      }
      return nil
    }

    private func nextFound() async throws -> StoredEntity? {
      var iterator = source
      defer { source = iterator }
      return try await iterator?.next()
    }

    private func object(_ entity: StoredEntity) async throws -> Object {
      objects.noteChanges()
      let id = entity.id
      guard objects.map.live(id) == nil, !objects.hasChanged(id, since: mark) else {
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
  /// caller retains no objects.
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
