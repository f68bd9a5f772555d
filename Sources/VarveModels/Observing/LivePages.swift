public import VarveCore
public import VarveEntities

/// The first models of a query, as many as a list has scrolled to, kept up to date on the main actor.
///
/// ```swift
/// let hats = LivePages(Hat.all.order(by: \.color), in: store, pageSize: 50)
/// // in a view:
/// List(hats.models) { hat in
///   HatRow(hat).onAppear { hats.loadMore(near: hat) }
/// }
/// ```
///
/// It begins with one page. Loaded pages stay loaded, and all of them are read again after a change
/// that concerns the query, so no row is missing or shown twice. It compares and reports errors as
/// ``LiveResults`` does.
///
/// - Complexity: a read takes O(log entities + loaded rows) with an index on the order.
@MainActor
public final class LivePages<Model: Persistable>: LiveContent {
  /// The loaded rows, and whether there are others.
  private struct Window: Sendable {
    var models: [Model]
    var hasMore: Bool
  }

  private let reader: LiveReader<Window>
  private var currentQuery: TypedQuery<Model>
  private var pages: LoadedPages

  /// Creates live pages and begins to read the first.
  ///
  /// - Parameters:
  ///   - query: the models to fetch. Its own limit is the limit of all pages together.
  ///   - store: the store.
  ///   - moment: the state to read; the present by default.
  ///   - pageSize: the number of rows in a page; at least 1.
  ///   - time: how long to wait for the first page of the present; see
  ///     ``LiveResults/init(_:in:at:firstWithin:)``.
  public init(
    _ query: TypedQuery<Model>,
    in store: Store,
    at moment: Moment = .now,
    pageSize: Int = 50,
    firstWithin time: Duration = .zero
  ) {
    pages = LoadedPages(of: pageSize)
    currentQuery = query
    reader = LiveReader(
      store,
      Self.request(query, moment, pages),
      firstWithin: time
    ) { earlier, later in
      earlier.hasMore == later.hasMore && Model.schema.holdSame(earlier.models, later.models)
    }
    super.init(reader)
  }

  /// The loaded rows, in the query's order; none until the first read.
  public var models: [Model] { reader.answer?.models ?? [] }

  /// Whether the query has rows after the loaded ones.
  public var hasMore: Bool { reader.answer?.hasMore ?? false }

  /// The models to fetch. Setting it begins with one page again.
  public var query: TypedQuery<Model> {
    get {
      _ = reader.request
      return currentQuery
    }
    set {
      currentQuery = newValue
      pages.restart()
      reader.request = Self.request(newValue, moment, pages)
    }
  }

  /// Loads another page, if there is one and none is being loaded.
  public func loadMore() {
    guard pages.grow(from: models.count, hasMore: hasMore) else { return }
    reader.request = Self.request(currentQuery, moment, pages)
  }

  /// Loads another page if a model is within half a page of the end of the loaded rows. Call it when
  /// the model's row appears.
  public func loadMore(near model: Model) {
    if pages.isNearEnd(model, of: models) { loadMore() }
  }

  private static func request(
    _ query: TypedQuery<Model>,
    _ moment: Moment,
    _ pages: LoadedPages
  ) -> LiveRequest<Window> {
    LiveRequest(moment: moment, query: query.untyped) { state in
      let types = try await state.types(of: query.untyped, and: query.includedTypes)
      let (models, hasMore) = pages.loaded(try await state.fetch(pages.rows(of: query)))
      let window = Window(models: models, hasMore: hasMore)
      return LiveRequest.Reply(answer: window, concerns: .init(types: types))
    }
  }
}
