/// A failure that a simulation of stores found.
package struct StoreFailure: Error, CustomStringConvertible {
  /// The comparison that failed. Shrinking keeps the kind of failure.
  package enum Kind: String, Sendable, CaseIterable {
    /// An unexpected error was thrown.
    case error
    /// Sessions on one file differ.
    case sessions
    /// Two stores with the same commits differ.
    case sameCommits
    /// The state of a frontier has changed.
    case past
    /// A store differs from the fold of its commits.
    case fold
    /// A store differs from one that received the same commits in another order, or from itself
    /// after a rebuild.
    case order
    /// A difference applied to the first state does not give the second.
    case difference
    /// The state after an undo differs from the state before the commit.
    case undo
    /// A settled conflict is still listed.
    case settling
    /// A write cannot be read back within its transaction.
    case readBack
    /// An edge and its reference differ, or two other forms of one fact.
    case twoFacts
    /// A write shows before it is committed, or was lost by another.
    case isolation
    /// The changes that subscribers received are not those that a reader sees, or a live query has
    /// another result than a fetch.
    case watching
    /// An import did not write what its document says, or reported something else.
    case importing
    /// A merge missed some commits.
    case merge
    /// The check reported a finding.
    case check
  }

  package let kind: Kind
  package let text: String
  /// The step after which it was found.
  package var step = 0

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// The first line.
  package var brief: String { String(description.prefix { $0 != "\n" }) }

  package var description: String { "\(kind.rawValue) after step \(step): \(text)" }
}
