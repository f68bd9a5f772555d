/// What reads of a caller may use, where callers are not trusted.
///
/// A server sets it for its requests; a program that embeds a store trusts its own reads.
package struct ReadBounds: Sendable, Hashable {
  /// The maximum size of a result, and of any value that own SQL computes for it, in bytes.
  package var resultByteCount: Int
  /// The memory that SQLite may need for a statement of own SQL, in bytes.
  package var memoryByteCount: Int
  /// Whether what is read becomes a reply. What a write reads for itself has no bound.
  private var isForReply = true

  /// The maximum size of a statement of own SQL, in bytes. Preparing one is never ended early.
  package static let statementByteCount = 100_000

  package init(resultByteCount: Int, memoryByteCount: Int) {
    self.resultByteCount = resultByteCount
    self.memoryByteCount = memoryByteCount
  }

  /// The bounds of the current task; nil for none.
  @TaskLocal package static var current: ReadBounds?

  /// Runs a body whose reads become a reply, or serve a write.
  package static func reading<Result>(
    forReply isForReply: Bool,
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard var bounds = current, bounds.isForReply != isForReply else { return try await body() }
    bounds.isForReply = isForReply
    return try await $current.withValue(bounds) { try await body() }
  }

  /// The maximum size of what the current task reads for its reply; nil for no bound.
  fileprivate static var replyByteCount: Int? {
    guard let bounds = current, bounds.isForReply else { return nil }
    return bounds.resultByteCount
  }
}

/// The size of a result while it is read, in bytes. Beyond the bound of the task, the read ends
/// before it has everything.
package struct ResultSize {
  private let limit: Int?
  private var byteCount = 0

  /// Begins with an empty result of the current task.
  package init() { limit = ReadBounds.replyByteCount }

  /// Begins with an empty result.
  ///
  /// - Parameter limit: the maximum size, in bytes; nil for no bound.
  package init(atMost limit: Int?) { self.limit = limit }

  /// Whether there is a bound. Without one, no sizes need be computed.
  package var isBounded: Bool { limit != nil }

  /// Counts a part of the result.
  ///
  /// - Throws: ``VarveError`` with code `invalidQuery` beyond the bound.
  package mutating func add(_ part: @autoclosure () -> Int) throws {
    guard let limit else { return }
    byteCount += part()
    guard byteCount <= limit else {
      throw VarveError(
        .invalidQuery,
        "the result has more than \(limit) bytes",
        remedy: "Fetch less at a time."
      )
    }
  }
}
