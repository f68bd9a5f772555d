package import Foundation
package import VarveCore
package import VarveStore

/// A state as people and programs name it on one line.
package enum MomentName: Equatable, Sendable {
  /// `now`.
  case now
  /// A date: what held then.
  case date(Date)
  /// A commit by the first digits of its hash: what its author had seen, the commit included.
  case commit(String)
  /// `{"frontier": […]}`: what those commits say.
  case frontier(Frontier)

  /// What a text must look like.
  package static let forms =
    "a date (\(DateReader.forms)), a commit (the first digits of its hash), "
    + "a frontier ({\"frontier\": […]}) or now"

  /// The state a text names; nil where it names none.
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
      case .frontier(let frontier)? = try? Part(json: json, path: []).moment()
    {
      self = .frontier(frontier)
    } else {
      return nil
    }
  }

  /// The moment, commits looked up in a store.
  ///
  /// - Throws: ``VarveError``: `notFound` or `invalidArgument` where not exactly one commit is
  ///   named, `timeOutOfRange`.
  package func moment(in store: Store) async throws -> Moment {
    switch self {
    case .now: return .now
    case .date(let date): return .time(try HybridTime(instant: date).lastOfDate)
    case .commit(let name):
      return .frontier(try await store.frontier(of: try await store.commit(named: name).id))
    case .frontier(let frontier): return .frontier(frontier)
    }
  }
}
