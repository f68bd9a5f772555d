package import VarveCore

/// A home under trial.
package protocol HomeSubject: AnyObject, Sendable {
  /// The home's clock.
  var clock: TestClock { get }

  /// Opens the log, as one more host does.
  func open() async throws -> any LogHome

  /// Returns a turn that does not exclude others, as that of a holder that was stopped for too
  /// long.
  func lostTurn() async throws -> any HomeTurn

  /// Keeps a copy of the home's log as it is now.
  func backUp() async throws

  /// Puts the copy in place of the log, with the incarnation it had.
  func goBack() async throws

  /// Returns whether the home's stored bytes contain some others.
  func stores(_ bytes: [UInt8]) async throws -> Bool
}

/// The first thing that a trial found to be wrong.
package struct TrialFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// Throws a failure unless a condition holds.
  package static func unless(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw TrialFailure(what()) }
  }
}
