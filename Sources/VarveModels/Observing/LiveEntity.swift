public import VarveCore
public import VarveEntities

/// One model, kept up to date on the main actor.
///
/// ```swift
/// let shop = LiveEntity(shopID, in: store, with: Shop.all.with(\.hats))
/// ```
///
/// Without loaded relations it reads again only after transactions that change this entity. It
/// compares and reports errors as ``LiveResults`` does.
@MainActor
public final class LiveEntity<Model: Persistable>: LiveContent {
  private let reader: LiveReader<Model?>

  /// Creates a live model and begins to read.
  ///
  /// - Parameters:
  ///   - id: the identifier.
  ///   - store: the store.
  ///   - query: a query that names the relations to load; the model is nil if the query does not
  ///     fetch it.
  ///   - moment: the state to read; the present by default.
  public init(
    _ id: Identifier<Model>,
    in store: Store,
    with query: TypedQuery<Model>? = nil,
    at moment: Moment = .now
  ) {
    let request = LiveRequest<Model?>(moment: moment, query: query?.untyped) { state in
      guard let query else {
        let concern = LiveRequest<Model?>.Concern.entity(id.entityID)
        return LiveRequest.Reply(answer: try await state.find(id), concerns: concern)
      }
      let types = try await state.types(of: query.untyped, and: query.includedTypes)
      let model = try await state.find(id, in: query)
      return LiveRequest.Reply(answer: model, concerns: .init(types: types))
    }
    reader = LiveReader(store, request) { earlier, later in
      switch (earlier, later) {
      case (let earlier?, let later?): Model.schema.holdsSame(earlier, later)
      case (nil, nil): true
      default: false
      }
    }
    super.init(reader)
  }

  /// The model; nil until the first read, and if the entity is not live in the state.
  public var model: Model? { reader.answer ?? nil }
}
