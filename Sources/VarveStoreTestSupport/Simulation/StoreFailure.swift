/// What a simulation of stores found wrong.
package struct StoreFailure: Error, CustomStringConvertible {
  /// What was compared: how failures are told apart while steps are dropped.
  package enum Kind: String, Sendable, CaseIterable {
    /// Something was thrown that nothing explains.
    case error
    /// Sessions on one file differ.
    case sessions
    /// Two stores with the same commits differ.
    case sameCommits
    /// The state of a frontier is not what it was.
    case past
    /// A store differs from the fold of its commits.
    case fold
    /// A store differs from one that got the same commits in another order, or from itself rebuilt.
    case order
    /// A difference applied to one state is not the other.
    case difference
    /// An undo left something else than what was before.
    case undo
    /// A settled conflict is listed.
    case settling
    /// A write is not there, in the write itself.
    case readBack
    /// An edge and its reference differ, or other two facts that are one.
    case twoFacts
    /// A merge left something out.
    case merge
    /// The check found something.
    case check
  }

  package let kind: Kind
  package let text: String
  /// Which step showed it.
  package var step = 0

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  /// The first line.
  package var brief: String { String(description.prefix { $0 != "\n" }) }

  package var description: String { "\(kind.rawValue) after step \(step): \(text)" }
}
