/// A commit, without its cells.
public struct CommitSummary: Hashable, Sendable {
  /// The name of the commit.
  public let id: CommitID
  /// The time at which the commit was written.
  public let time: HybridTime
  /// The author; nil if the commit names none.
  public let author: String?
  /// The reason; nil if the commit gives none.
  public let message: String?
  /// The number of ordinals that its cells use: roughly, the number of operations.
  public let operationCount: Int
  /// The kind of the commit: cells only, or also redactions.
  public let kind: CommitHeader.Kind
  /// The commit that it undid as far as possible; nil if it is not an undo.
  public let undone: CommitID?

  package init(_ header: CommitHeader, id: CommitID) {
    undone = header.undone
    self.id = id
    time = header.time
    author = header.author.nilIfEmpty
    message = header.message.nilIfEmpty
    operationCount = header.ordinalCount
    kind = header.kind
  }
}
