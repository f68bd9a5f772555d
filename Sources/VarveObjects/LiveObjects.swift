public import VarveCore
import VarveEntities

/// The objects of a class that satisfy a condition, loaded again after every change of the class.
/// See ``Objects/observe(_:where:)``.
///
/// It supports one iteration, which ends when the store is closed.
public struct LiveObjects<Object: StoredObject>: AsyncSequence {
  /// The type of the elements.
  public typealias Element = [Object]
  /// The type of the errors.
  public typealias Failure = any Error

  let objects: Objects
  let query: Query?
  let changes: ChangeSequence

  /// Begins the iteration. The first objects are loaded when they are requested.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iteration over the results.
  public final class Iterator: AsyncIteratorProtocol {
    private let live: LiveObjects
    private var hasBegun = false

    fileprivate init(_ live: LiveObjects) { self.live = live }

    /// Returns the next objects, or nil once the store is closed.
    public func next(isolation: isolated (any Actor)? = #isolation) async throws -> [Object]? {
      try await nextObjects()
    }

    /// Returns the next objects, or nil once the store is closed.
    public func next() async throws -> [Object]? { try await nextObjects() }

    private func nextObjects() async throws -> [Object]? {
      if hasBegun {
        repeat {
          guard let change = try await live.changes.channel.next() else { return nil }
          if live.concerns(change) { break }
        } while true
      }
      hasBegun = true
      // The objects include everything committed up to here.
      while live.changes.poll() != nil {}
      var found: [Object] = []
      for try await object in ObjectSequence<Object>(
        objects: live.objects,
        query: live.query,
        unreadable: { _ in }
      ) {
        found.append(object)
      }
      return found
    }
  }

  private func concerns(_ change: ChangeSet) -> Bool {
    query?.types.map { !change.types.isDisjoint(with: $0) } ?? true
  }
}

/// One object, returned again after every change of it. See ``Objects/observe(_:)``.
///
/// It supports one iteration, which ends when the object is erased or the store is closed.
public struct ObjectUpdates<Object: StoredObject>: AsyncSequence {
  /// The type of the elements.
  public typealias Element = Object
  /// The type of the errors.
  public typealias Failure = any Error

  let objects: Objects
  let object: Object
  let changes: ChangeSequence

  /// Begins the iteration. The first element is the object as it is.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iteration over the states of the object.
  public final class Iterator: AsyncIteratorProtocol {
    private let updates: ObjectUpdates
    private var hasBegun = false
    private var hasEnded = false

    fileprivate init(_ updates: ObjectUpdates) { self.updates = updates }

    /// Returns the object, up to date, or nil once it is erased or the store is closed.
    public func next(isolation: isolated (any Actor)? = #isolation) async throws -> Object? {
      try await nextState()
    }

    /// Returns the object, up to date, or nil once it is erased or the store is closed.
    public func next() async throws -> Object? { try await nextState() }

    private func nextState() async throws -> Object? {
      guard hasBegun else {
        hasBegun = true
        return try await state()
      }
      let id = updates.object.id
      while !hasEnded, let change = try await updates.changes.channel.next() {
        let isConcerned =
          change.changed.contains(id) || change.added.contains(id) || change.erased.contains(id)
        if isConcerned { return try await state() }
      }
      return nil
    }

    private func state() async throws -> Object? {
      do {
        return try await updates.objects.load(updates.object.id, as: Object.self)
      } catch let error as VarveError where error.code == .noSuchDocument {
        hasEnded = true
        return nil
      }
    }
  }
}

extension Objects {
  /// Returns the objects of a class that satisfy a condition: first now, and then after each
  /// transaction that changes an object of the class, by any writer. Several that are committed
  /// while a result is in use cause one more result.
  ///
  /// ```swift
  /// for try await squares in try await objects.observe(Square.self, where: { $0.side > 10 }) {
  ///   print(squares.count)
  /// }
  /// ```
  ///
  /// - Throws: as ``Store/changes(since:)``. The iteration throws as ``loadAll(_:where:)``.
  public func observe<Object: StoredObject>(
    _ type: Object.Type,
    where condition: (ObjectColumns<Object>) -> Condition = { _ in .always }
  ) async throws -> LiveObjects<Object> {
    LiveObjects(
      objects: self,
      query: query(type, condition),
      changes: try await store.changes()
    )
  }

  /// Returns an object: first as it is, and then after each transaction that changes it, by any
  /// writer. It is always the same instance.
  ///
  /// ```swift
  /// for try await square in try await objects.observe(square) { print(square.side) }
  /// ```
  ///
  /// An object of an `@Observable` class can also be observed by its properties, because the
  /// context assigns them.
  ///
  /// - Throws: as ``Store/changes(since:)``.
  public func observe<Object: StoredObject>(
    _ object: Object
  ) async throws -> ObjectUpdates<Object> {
    ObjectUpdates(objects: self, object: object, changes: try await store.changes())
  }
}
