#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// The author, message and time of a write.
struct WritingOptions: ParsableArguments {
  @Option(help: "The author; VARVE_AUTHOR by default.")
  var author: String?

  @Option(help: ArgumentHelp("The commit message.", valueName: "text"))
  var message: String?

  @Option(
    help: ArgumentHelp(
      "The time from which it holds; now by default (2018-12-08 or 2018-12-08T14:30:00Z).",
      valueName: "date"
    ),
    transform: DateArgument.parse
  )
  var at: Date?

  /// Runs a write transaction. Returns its result and its commit; the commit is nil if nothing was
  /// written.
  func commit<Result>(
    to store: Store,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> (result: Result, commit: CommitSummary?) {
    try await Progress.during("write", "") { _ in
      try await store.commit(author: namedAuthor, message: message, at: at, body)
    }
  }

  /// The author; nil if none is given.
  var namedAuthor: String? { Self.name(author) }

  /// Returns the given author, or that of the environment.
  static func name(_ author: String?) -> String? {
    author ?? ProcessInfo.processInfo.environment["VARVE_AUTHOR"]
  }
}

extension CommitSummary? {
  /// The commit, or null.
  var json: JSON { self?.json ?? .null }

  /// ` (commit 1a2b3c4d5e6f)`, or a note that nothing was written.
  var shown: String { self.map { " (commit \($0.id))" } ?? "; nothing written" }
}
#endif
