public import VarveCore
public import VarveEntities

/// The models of a query, kept up to date on the main actor for a view or an observer.
///
/// ```swift
/// let hats = LiveResults(Hat.where { $0.brimSize > 7 }.order(by: \.color), in: store)
/// ```
///
/// It reads at once, and again after each transaction that changes an entity of a type that the
/// query depends on; several transactions committed during a read cause one more read. Reading
/// ``models`` in a SwiftUI view, or inside `withObservationTracking`, subscribes to changes.
/// Observers are notified only if a stored property of a row differs, or the rows do: the
/// comparison does not use `==`, which compares identifiers for most models.
///
/// ``LiveContent/moment`` shows a past state instead. It can be set as often as a slider moves: requests that
/// come during a read are skipped, except the last.
///
/// A failed read sets ``LiveContent/error`` and keeps the rows. The next change, or
/// ``LiveContent/settle()``, reads again.
/// The results end with the store; the object does not retain its observers.
@MainActor
public final class LiveResults<Model: Persistable>: LiveContent {
  private let reader: LiveReader<[Model]>
  private var currentQuery: TypedQuery<Model>

  /// Creates live results and begins to read.
  ///
  /// - Parameters:
  ///   - query: the models to fetch.
  ///   - store: the store.
  ///   - moment: the state to read; the present by default.
  ///   - time: how long to wait for the first rows of the present; not at all by default. The
  ///     initialiser blocks the main actor meanwhile. If they are not there in time, ``models`` is
  ///     empty and `isLoading` true until they are.
  public init(
    _ query: TypedQuery<Model>,
    in store: Store,
    at moment: Moment = .now,
    firstWithin time: Duration = .zero
  ) {
    currentQuery = query
    reader = LiveReader(
      store,
      Self.request(query, moment),
      firstWithin: time,
      isSame: Model.schema.holdSame
    )
    super.init(reader)
  }

  /// The rows, in the query's order; none until the first read.
  public var models: [Model] { reader.answer ?? [] }

  /// The models to fetch. Setting it reads again; the earlier rows are shown until then.
  public var query: TypedQuery<Model> {
    get {
      _ = reader.request
      return currentQuery
    }
    set {
      currentQuery = newValue
      reader.request = Self.request(newValue, reader.request.moment)
    }
  }

  private static func request(
    _ query: TypedQuery<Model>,
    _ moment: Moment
  ) -> LiveRequest<[Model]> {
    LiveRequest(moment: moment, query: query.untyped) { state in
      let types = try await state.types(of: query.untyped, and: query.includedTypes)
      let models = try await state.fetch(query)
      return LiveRequest.Reply(answer: models, concerns: .init(types: types))
    }
  }
}
