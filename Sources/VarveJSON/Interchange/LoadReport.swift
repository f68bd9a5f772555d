public import VarveCore
public import VarveStore

/// The outcome of loading a document.
public struct LoadReport: Sendable {
  /// A part of a document that was not loaded, or violates a rule.
  public struct Skipped: Hashable, Sendable {
    /// The position in the text.
    public let position: JSONPosition
    /// The path to the part, as a JSON pointer (RFC 6901): `/entities/3/size`.
    public let pointer: String
    /// The reason.
    public let reason: String
  }

  /// The maximum number of listed parts. All are counted.
  public static let listedSkippedCount = 1_000

  /// Whether the document was a full one, which is merged.
  public internal(set) var isFull = false
  /// The number of loaded records: entities, or new commits of a full document.
  public internal(set) var importedCount = 0
  /// The number of created entities.
  public internal(set) var createdCount = 0
  /// The number of live entities that got new values.
  public internal(set) var changedCount = 0
  /// The number of records and properties that were not loaded.
  public internal(set) var skippedCount = 0
  /// The first skipped parts.
  public internal(set) var skipped: [Skipped] = []
  /// The commit that was written; nil if nothing was, and for full documents.
  public internal(set) var commit: CommitSummary?
  /// The report of the merge, for full documents.
  public internal(set) var merge: MergeReport?

  /// The number of violated rules of the models that the store was opened with.
  public internal(set) var brokenCount = 0
  /// The first violations. Records that violate rules are loaded, because a copy must equal the
  /// original.
  public internal(set) var broken: [Skipped] = []

  mutating func noteBroken(_ position: JSONPosition, _ pointer: String, _ reason: String) {
    brokenCount += 1
    guard broken.count < Self.listedSkippedCount else { return }
    broken.append(Skipped(position: position, pointer: pointer, reason: reason))
  }

  mutating func skip(_ position: JSONPosition, _ pointer: String, _ reason: String) {
    skippedCount += 1
    guard skipped.count < Self.listedSkippedCount else { return }
    skipped.append(Skipped(position: position, pointer: pointer, reason: reason))
  }
}

/// The progress of loading a document.
public struct LoadProgress: Hashable, Sendable {
  /// The number of bytes read.
  public let byteCount: Int
  /// The total number of bytes, if known.
  public let totalByteCount: Int?
  /// The number of records read.
  public let recordCount: Int
}

/// Converts a path into a document to a JSON pointer (RFC 6901).
enum JSONPointer {
  static func text(_ steps: String...) -> String {
    steps.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }
}
