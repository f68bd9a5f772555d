public import VarveCore
public import VarveStore

/// What loading a document did.
public struct LoadReport: Sendable {
  /// Something of a document that was not taken over, or breaks a rule.
  public struct Skipped: Hashable, Sendable {
    /// Where it stands in the text.
    public let position: JSONPosition
    /// The way to it, as a JSON pointer (RFC 6901): `/entities/3/size`.
    public let pointer: String
    /// Why.
    public let reason: String
  }

  /// At most so many are listed; all are counted.
  public static let listedSkippedCount = 1_000

  /// Whether the document was a full one, which is merged.
  public internal(set) var isFull = false
  /// How many records were taken over: entities, or new commits of a full document.
  public internal(set) var importedCount = 0
  /// How many of them were created.
  public internal(set) var createdCount = 0
  /// How many were live and got values they did not have.
  public internal(set) var changedCount = 0
  /// How many records and properties were not taken over.
  public internal(set) var skippedCount = 0
  /// The first of them.
  public internal(set) var skipped: [Skipped] = []
  /// The commit that was written; nil where nothing was, and for full documents.
  public internal(set) var commit: CommitSummary?
  /// For full documents: what their merge did.
  public internal(set) var merge: MergeReport?

  /// How many rules of the models that the store was opened with are broken by what was written.
  public internal(set) var brokenCount = 0
  /// The first of them. What breaks rules was taken over: a copy must say what the original says.
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

/// How far the loading of a document is.
public struct LoadProgress: Hashable, Sendable {
  /// How many bytes were read.
  public let byteCount: Int
  /// Of how many, where that is known.
  public let totalByteCount: Int?
  /// How many records were read.
  public let recordCount: Int
}

/// A way into a document as a JSON pointer (RFC 6901).
enum JSONPointer {
  static func text(_ steps: String...) -> String {
    steps.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }
}
