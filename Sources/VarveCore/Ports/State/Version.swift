import Foundation

/// A cell of an entity's history.
public struct Version: Hashable, Sendable {
  /// The content of the cell.
  public let content: Cell.Content
  /// The time from which it holds.
  public let time: HybridTime
  /// The commit that wrote it.
  public let commit: CommitSummary
  /// The cell's ordinal in the commit; nil if it was decoded, or read from its creation's row.
  package let ordinal: Int?

  package init(content: Cell.Content, time: HybridTime, commit: CommitSummary, ordinal: Int?) {
    self.content = content
    self.time = time
    self.commit = commit
    self.ordinal = ordinal
  }

  /// Returns whether both are cells of one commit with one content and time.
  public static func == (left: Version, right: Version) -> Bool {
    left.time == right.time && left.commit == right.commit && left.content == right.content
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(content)
    hasher.combine(time)
    hasher.combine(commit)
  }

  /// The property, if the cell is about one, or about an element of one.
  public var key: PropertyKey? {
    switch content {
    case .add(let relation, _, _, _), .remove(let relation, _, _):
      relation.kind == .member ? relation.name : nil
    default: content.key
    }
  }
  /// The written value; nil for a removal.
  public var value: Value? { content.value }
  /// The author of the commit; nil if it names none.
  public var author: String? { commit.author }
}

extension String {
  /// The text, or nil if it is empty, as commits store a missing author or reason.
  package var nilIfEmpty: String? { isEmpty ? nil : self }
}

extension Version: CustomStringConvertible {
  /// The change in words: the written value, or `removed`; `created`, `erased`, `restored` or
  /// `created anew` for a life; `to-many`, `added …` or `taken out …` for a to-many property and
  /// its elements.
  public var description: String {
    switch content {
    case .value(_, let value, _): value.description
    case .removal: "removed"
    case .life(.created): "created"
    case .life(.recreated): "created anew"
    case .life(.erased): "erased"
    case .life(.restored): "restored"
    case .collection: "to-many"
    case .add(_, let target, _, _): "added \(target)"
    case .remove(_, let target, _): "taken out \(target)"
    }
  }
}
