/// How many rows of a query are loaded, page by page.
struct LoadedPages {
  /// The number of rows in a page; nil if all rows are loaded.
  let size: Int?
  /// The number of rows to load; nil for all.
  private(set) var limit: Int?

  /// Creates the first page, of at least one row.
  init(of size: Int?) {
    // A few pages of the most rows are a number too.
    self.size = size.map { min(max(1, $0), Int(Int32.max)) }
    limit = self.size
  }

  /// Goes back to the first page.
  mutating func restart() { limit = size }

  /// Adds a page if the rows so far are all there, and others follow. Returns whether it did.
  mutating func grow(from count: Int, hasMore: Bool) -> Bool {
    guard let size, let limit, hasMore, count >= limit else { return false }
    self.limit = limit + size
    return true
  }

  /// Returns a query for the rows to load and one more, which shows whether there are others.
  func rows<Model>(of query: TypedQuery<Model>) -> TypedQuery<Model> {
    limit.map { query.limit($0 + 1) } ?? query
  }

  /// Returns the rows to load among those that were read, and whether there are others.
  func loaded<Model>(_ read: [Model]) -> (rows: [Model], hasMore: Bool) {
    guard let limit, read.count > limit else { return (read, false) }
    return (Array(read.prefix(limit)), true)
  }

  /// Whether a model is within half a page of the end of some rows.
  func isNearEnd<Model: Persistable>(_ model: Model, of rows: some BidirectionalCollection<Model>)
    -> Bool
  {
    guard let size else { return false }
    return rows.suffix(max(1, size / 2)).contains { $0.id == model.id }
  }
}
