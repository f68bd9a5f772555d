public import VarveCore
public import VarveEntities

/// One value computed from a store, such as a count or a sum, kept up to date on the main actor.
///
/// ```swift
/// let count = LiveValue(of: Hat.all, in: store) { try await $0.count($1) }
/// ```
///
/// It reads, compares and reports errors as ``LiveResults`` does. Values that are models, optional
/// models or arrays of models are compared by all stored properties; other values by `==`.
@MainActor
public final class LiveValue<Value: Equatable & Sendable>: LiveContent {
  private let reader: LiveReader<Value>

  /// Creates a live value that depends on some types.
  ///
  /// - Parameters:
  ///   - types: the types of entities that the value depends on.
  ///   - store: the store.
  ///   - moment: the state to read; the present by default.
  ///   - read: reads the value from one state, outside of the main actor.
  public init(
    _ types: Set<EntityType>,
    in store: Store,
    at moment: Moment = .now,
    read: @escaping @Sendable (Snapshot) async throws -> Value
  ) {
    let request = LiveRequest<Value>(moment: moment) { state in
      LiveRequest.Reply(answer: try await read(state), concerns: .types(types))
    }
    reader = LiveReader(store, request, isSame: HeldContent.isSame)
    super.init(reader)
  }

  /// Creates a live value that depends on the types of a query.
  ///
  /// - Parameters:
  ///   - query: the query, which is passed to the closure.
  ///   - store: the store.
  ///   - moment: the state to read; the present by default.
  ///   - read: reads the value from one state, outside of the main actor.
  public init<Model>(
    of query: TypedQuery<Model>,
    in store: Store,
    at moment: Moment = .now,
    read: @escaping @Sendable (Snapshot, TypedQuery<Model>) async throws -> Value
  ) {
    let request = LiveRequest<Value>(moment: moment, query: query.untyped) { state in
      let types = try await state.types(of: query.untyped, and: query.includedTypes)
      let value = try await read(state, query)
      return LiveRequest.Reply(answer: value, concerns: .init(types: types))
    }
    reader = LiveReader(store, request, isSame: HeldContent.isSame)
    super.init(reader)
  }

  /// The value; nil until the first read.
  public var value: Value? { reader.answer }
}
