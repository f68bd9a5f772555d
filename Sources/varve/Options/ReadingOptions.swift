import ArgumentParser
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// When to look.
struct ReadingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Read what held on this date (2018-12-08 or 2018-12-08T14:30:00Z).",
      valueName: "date"
    ),
    transform: DateArgument.parse
  )
  var asOf: Date?

  /// Reads one state of a store: the present one, or what held on the date.
  func read<Result>(
    _ store: Store,
    _ body: (Snapshot) async throws -> Result
  ) async throws -> Result {
    guard let asOf else { return try await store.read(body) }
    return try await store.asOf(asOf).read(body)
  }
}

/// A date given as an argument.
enum DateArgument {
  @Sendable static func parse(_ text: String) throws -> Date {
    guard let date = DateReader.read(text) else {
      throw ValidationError("write a date as \(DateReader.forms)")
    }
    return date
  }
}
