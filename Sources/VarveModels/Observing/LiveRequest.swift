import VarveCore
import VarveEntities

/// A read that live results repeat.
struct LiveRequest<Answer: Sendable>: Sendable {
  /// A result, and the changes that make it out of date.
  struct Reply: Sendable {
    var answer: Answer
    var concerns: Concern
  }

  /// The changes that make a result about the present out of date.
  enum Concern: Sendable {
    case all
    case types(Set<EntityType>)
    case entity(EntityID)

    /// The changes of some types; of all types if nil.
    init(types: Set<EntityType>?) { self = types.map { .types($0) } ?? .all }

    func includes(_ change: ChangeSet) -> Bool {
      switch self {
      case .all: true
      case .types(let types): !change.types.isDisjoint(with: types)
      case .entity(let id):
        change.changed.contains(id) || change.added.contains(id) || change.erased.contains(id)
      }
    }
  }

  /// The result of one read.
  enum Outcome: Sendable {
    /// The result equals the previous one.
    case same(Concern)
    case new(Reply)
    case failure(any Error)
  }

  /// The state to read.
  var moment: Moment
  /// The indexes to create before the first read.
  var query: Query?
  let read: @Sendable (Snapshot) async throws -> Reply

  /// Reads and compares, off the main actor.
  @concurrent
  func outcome(
    in store: Store,
    after earlier: Answer?,
    _ isSame: @Sendable (Answer, Answer) -> Bool
  ) async -> Outcome {
    do {
      if let query { try await store.prepare(query) }
      let reply =
        moment == .now
        ? try await store.read { try await read($0) }
        : try await store.asOf(moment).read { try await read($0) }
      if let earlier, isSame(earlier, reply.answer) { return .same(reply.concerns) }
      return .new(reply)
    } catch {
      return .failure(error)
    }
  }
}

extension Snapshot {
  /// Returns the types that a query depends on, with some others; nil for all.
  func types(of query: Query, and others: Set<EntityType>?) async throws -> Set<EntityType>? {
    guard let others else { return nil }
    guard query.hasRawSQL else { return query.types.map { $0.union(others) } }
    let tables = try await reading { try await $0.reader.tables() }
    return query.types(of: tables).map { $0.union(others) }
  }
}
