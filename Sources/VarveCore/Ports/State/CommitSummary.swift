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
  /// The name under which a server knew the caller who handed the commit over to this copy of the
  /// log; nil if it was written here, or came in another way. The author is what the commit says.
  public package(set) var handedOverBy: String?

  package init(_ header: CommitHeader, id: CommitID) {
    undone = header.undone
    self.id = id
    time = header.time
    author = header.author.nilIfEmpty
    message = header.message.nilIfEmpty
    operationCount = header.ordinalCount
    kind = header.kind
  }

  /// Who handed the commit over, if that is not its author.
  package var foreignHand: String? { handedOverBy == author ? nil : handedOverBy }

  /// Returns whether both are the same commit. Who handed it over differs between copies of a log,
  /// and does not count.
  public static func == (left: CommitSummary, right: CommitSummary) -> Bool {
    left.id == right.id && left.time == right.time && left.author == right.author
      && left.message == right.message && left.operationCount == right.operationCount
      && left.kind == right.kind && left.undone == right.undone
  }

  /// Hashes the commit's name.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
