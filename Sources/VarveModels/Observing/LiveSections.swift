public import VarveCore
public import VarveEntities

/// The models of a query in sections that share the value of a property, kept up to date on the main
/// actor.
///
/// ```swift
/// let hats = LiveSections(Hat.all.order(by: \.brimSize), by: \.color, in: store)
/// for section in hats.sections { print(section.key, section.count, section.models.count) }
/// ```
///
/// Sections come in the order of their values, and models within them in the query's order. A limit of
/// the query takes the first rows in that order. It compares and reports errors as ``LiveResults`` does.
///
/// - Complexity: a read takes O(rows of the query), of which it returns the loaded ones.
@MainActor
public final class LiveSections<Key: Hashable & Sendable, Model: Persistable>: LiveContent {
  /// The sections, and whether rows follow the loaded ones.
  private struct Content: Sendable {
    var sections: [ModelSection<Key, Model>]
    var hasMore: Bool
  }

  /// The query, ordered by section.
  private struct Plan: Sendable {
    let query: TypedQuery<Model>
    let keyPath: any KeyPath<Model, Key> & Sendable
    let isDescending: Bool

    /// The rows, ordered by the property of the sections first.
    var rows: TypedQuery<Model> {
      let field = Model.schema.queried(keyPath)
      return query.with(query.untyped.order(firstBy: field, descending: isDescending))
    }
  }

  private let reader: LiveReader<Content>
  private var plan: Plan
  private var pages: LoadedPages

  /// Creates live sections and begins to read.
  ///
  /// - Parameters:
  ///   - query: the models to fetch.
  ///   - keyPath: the property whose values make the sections.
  ///   - isDescending: whether the sections come in the reverse order of their values.
  ///   - store: the store.
  ///   - moment: the state to read; the present by default.
  ///   - pageSize: the number of rows to load at a time, at least 1; all by default.
  ///   - time: how long to wait for the first rows of the present; see
  ///     ``LiveResults/init(_:in:at:firstWithin:)``.
  public init(
    _ query: TypedQuery<Model>,
    by keyPath: any KeyPath<Model, Key> & Sendable,
    descending isDescending: Bool = false,
    in store: Store,
    at moment: Moment = .now,
    pageSize: Int? = nil,
    firstWithin time: Duration = .zero
  ) {
    pages = LoadedPages(of: pageSize)
    plan = Plan(query: query, keyPath: keyPath, isDescending: isDescending)
    reader = LiveReader(
      store,
      Self.request(plan, moment, pages),
      firstWithin: time
    ) { earlier, later in
      earlier.hasMore == later.hasMore && earlier.sections.count == later.sections.count
        && zip(earlier.sections, later.sections).allSatisfy { one, other in
          one.key == other.key && one.count == other.count
            && Model.schema.holdSame(one.models, other.models)
        }
    }
    super.init(reader)
  }

  /// The sections that have loaded models; none until the first read.
  public var sections: [ModelSection<Key, Model>] { reader.answer?.sections ?? [] }

  /// Whether the query has rows after the loaded ones.
  public var hasMore: Bool { reader.answer?.hasMore ?? false }

  /// The models to fetch. Setting it begins with one page again.
  public var query: TypedQuery<Model> {
    get {
      _ = reader.request
      return plan.query
    }
    set {
      plan = Plan(query: newValue, keyPath: plan.keyPath, isDescending: plan.isDescending)
      pages.restart()
      reader.request = Self.request(plan, moment, pages)
    }
  }

  /// Loads another page, if there is one and none is being loaded.
  public func loadMore() {
    let count = sections.reduce(0) { $0 + $1.models.count }
    guard pages.grow(from: count, hasMore: hasMore) else { return }
    reader.request = Self.request(plan, moment, pages)
  }

  /// Loads another page if a model is within half a page of the end of the loaded rows. Call it when
  /// the model's row appears.
  public func loadMore(near model: Model) {
    // Each section has a row, so these have enough.
    let last = sections.suffix(pages.size ?? 0).flatMap(\.models)
    if pages.isNearEnd(model, of: last) { loadMore() }
  }

  private static func request(
    _ plan: Plan,
    _ moment: Moment,
    _ pages: LoadedPages
  ) -> LiveRequest<Content> {
    let rows = plan.rows
    return LiveRequest(moment: moment, query: rows.untyped) { state in
      let types = try await state.types(of: rows.untyped, and: rows.includedTypes)
      let (models, hasMore) = pages.loaded(try await state.fetch(pages.rows(of: rows)))
      let groups = try await state.aggregate(rows, by: plan.keyPath, .count)
      let content = Content(
        sections: sections(of: models, by: plan.keyPath, groups.map { ($0.key, $0.values) }),
        hasMore: hasMore
      )
      return LiveRequest.Reply(answer: content, concerns: .init(types: types))
    }
  }

  /// Returns the sections of some models. Texts that are equal, though their bytes differ, are one
  /// section.
  private nonisolated static func sections(
    of models: [Model],
    by keyPath: KeyPath<Model, Key>,
    _ groups: [(key: Key, count: Int)]
  ) -> [ModelSection<Key, Model>] {
    let counts = Dictionary(groups.map { ($0.key, $0.count) }, uniquingKeysWith: +)
    var keys: [Key] = []
    var own: [Key: [Model]] = [:]
    for model in models {
      let key = model[keyPath: keyPath]
      if own[key] == nil { keys.append(key) }
      own[key, default: []].append(model)
    }
    return keys.map { key in
      let models = own[key] ?? []
      return ModelSection(key: key, models: models, count: max(counts[key] ?? 0, models.count))
    }
  }
}
