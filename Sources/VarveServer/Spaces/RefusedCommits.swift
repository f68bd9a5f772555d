#if Server
import Foundation
import Synchronization
import VarveCore
import VarveJSON
import VarveSync

/// The commits that a space was handed and did not take, newest last.
///
/// They are no part of its log, so they are known only as long as the space is open in this
/// process.
final class RefusedCommits: Sendable {
  /// A commit that was not taken.
  struct Refusal: Sendable {
    let parked: Parked
    /// The subject that handed it over; nil if it has none.
    let subject: String?
    let date: Date
  }

  private let state = Mutex<[Refusal]>([])
  private static let capacity = 100

  /// The last refusals, of which each commit has one.
  var all: [Refusal] { state.withLock { $0 } }

  /// Notes commits that were not taken. Those that were refused before replace their former
  /// refusal.
  func note(_ parked: [Parked], from subject: String?, at date: Date = Date()) {
    guard !parked.isEmpty else { return }
    forget(parked.map(\.commit))
    state.withLock { refusals in
      refusals += parked.map { Refusal(parked: $0, subject: subject, date: date) }
      refusals.removeFirst(max(0, refusals.count - Self.capacity))
    }
  }

  /// Forgets refusals of commits that were taken since.
  func forget(_ taken: [CommitID]) {
    guard !taken.isEmpty else { return }
    let commits = Set(taken)
    state.withLock { $0.removeAll { commits.contains($0.parked.commit) } }
  }

  /// A text that differs whenever the refusals do; empty if there are none.
  var mark: String {
    let refusals = all
    guard let last = refusals.last else { return "" }
    return ".\(refusals.count)-\(Int64(last.date.timeIntervalSince1970 * 1_000_000))"
  }
}

extension RefusedCommits.Refusal {
  /// The refusal as JSON.
  var json: JSON {
    [
      "replica": .string(parked.commit.replica.text),
      "sequence": .integer(parked.commit.sequence),
      "hash": .string(parked.commit.hash.hexadecimal),
      "code": .string(parked.error.code.rawValue), "message": .string(parked.error.message),
      "from": .optional(subject),
      "time": .string(
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
      ),
    ]
  }
}
#endif
