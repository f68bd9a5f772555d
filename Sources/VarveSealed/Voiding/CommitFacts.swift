package import VarveCore

/// What decides whether a commit counts.
package struct CommitFacts: Hashable, Sendable {
  package let id: CommitID
  /// The hash of the replica's previous commit.
  package let previous: ContentDigest
  package let time: HybridTime
  package let fields: SealedCommitFields
  package let content: Content

  /// Whether a member can use the content of a commit.
  package enum Content: Hashable, Sendable {
    /// It is as its version requires.
    case valid
    /// It breaks a limit or a rule that the format of its version fixes.
    case invalid
    /// Its version is unknown here.
    case newer
  }

  package init(
    id: CommitID,
    previous: ContentDigest,
    time: HybridTime,
    fields: SealedCommitFields,
    content: Content = .valid
  ) {
    self.id = id
    self.previous = previous
    self.time = time
    self.fields = fields
    self.content = content
  }
}
