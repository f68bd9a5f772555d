package import Foundation
package import VarveCore
package import VarveStore

/// The name of a state, as one line of text.
package enum MomentName: Equatable, Sendable {
  /// `now`.
  case now
  /// The state at a date.
  case date(Date)
  /// The state of a commit, named by the first digits of its hash: what its author had seen,
  /// including the commit.
  case commit(String)
  /// `{"commit": {…}}`: the same, of a commit named by replica, number and hash, which is found at
  /// once.
  case written(CommitID)
  /// `{"frontier": […]}`: the state of a set of commits.
  case frontier(Frontier)

  /// The forms of a name, for messages.
  package static let forms =
    "a date (\(DateReader.forms)), a commit (the first digits of its hash), "
    + "{\"commit\": {\"replica\", \"sequence\", \"hash\"}}, a frontier ({\"frontier\": […]}) or now"

  /// Parses the name of a state; nil if the text is not one.
  package init?(_ text: String) {
    if text == "now" {
      self = .now
    } else if let date = DateReader.read(text) {
      self = .date(date)
    } else if text.utf8.count >= 4, text.utf8.count <= 64, text.allSatisfy(\.isHexDigit),
      text.utf8.count == text.count
    {
      self = .commit(text)
    } else if let json = try? JSONReader.read(text),
      case .object = json, let name = try? Part(json: json, path: []).moment(),
      name.isObject
    {
      self = name
    } else {
      return nil
    }
  }

  /// Returns the moment, after looking up commits in a store.
  ///
  /// - Throws: `VarveError`: `notFound` or `invalidArgument` unless exactly one commit matches,
  ///   `timeOutOfRange`.
  package func moment(in store: Store) async throws -> Moment {
    switch self {
    case .now: return .now
    case .date(let date): return .time(try HybridTime(instant: date).lastOfDate)
    case .commit(let name):
      return .frontier(try await store.frontier(of: try await store.commit(named: name).id))
    case .written(let id): return .frontier(try await store.frontier(of: id))
    case .frontier(let frontier): return .frontier(frontier)
    }
  }

  /// Whether it is written as an object.
  private var isObject: Bool {
    switch self {
    case .written, .frontier: true
    case .now, .date, .commit: false
    }
  }
}
