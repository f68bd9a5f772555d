import CPostgres
import VarveCore

/// What PostgreSQL, or the connection to it, said instead of a result.
struct PostgresFailure: Error {
  /// PostgreSQL's code for the error; nil if the server sent none.
  let state: String?
  let message: String
  /// The server and the database.
  let place: String
  /// The index of the call that failed among those that were sent together.
  let call: Int
  /// Whether the connection is lost.
  private(set) var isBroken: Bool
  /// Whether the last of the calls that were sent together may have been executed.
  var isUncertain = false

  /// A connection that is lost.
  init(_ message: String, at place: String, call: Int = 0, isBroken: Bool) {
    state = nil
    self.message = message.split(whereSeparator: \.isNewline)
      .joined(separator: "; ")
    self.place = place
    self.call = call
    self.isBroken = isBroken
  }

  /// A result that is an error.
  init(_ result: OpaquePointer, call: Int, _ address: PostgresAddress) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    let whole = PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
    state = field("C")
    message = address.scrubbed(field("M") ?? whole).split(whereSeparator: \.isNewline)
      .joined(separator: "; ")
    place = address.place
    self.call = call
    isBroken = ["FATAL", "PANIC"].contains(field("V")) || state == nil
  }

  /// The failure of this server and of another.
  func and(_ other: PostgresFailure) -> PostgresFailure {
    let message = message.contains(other.message) ? message : "\(message); \(other.message)"
    return PostgresFailure(message, at: place, isBroken: true)
  }

  /// The failure, after which the connection was lost.
  var broken: PostgresFailure {
    var failure = self
    failure.isBroken = true
    return failure
  }

  /// The error for callers.
  var error: VarveError {
    switch state {
    case "55P03":
      VarveError(
        .busy,
        "another host held the log for too long",
        at: place,
        remedy: "Try again, or allow more time."
      )
    case "25P03", "57P05":
      VarveError(
        .busy,
        "the turn at the home was lost, because this host was stopped for too long",
        at: place,
        remedy: "Write again."
      )
    case "53100":
      VarveError(
        .diskFull,
        "the database has no space left: \(message)",
        at: place,
        remedy: "Give the server more space."
      )
    case "25006":
      VarveError(
        .readOnly,
        "the database is read-only: \(message)",
        at: place,
        remedy: "Connect to the primary, for example by target_session_attrs=read-write."
      )
    case "28000", "28P01", "42501":
      VarveError(
        .inputOutput,
        "the database refuses access: \(message)",
        at: place,
        remedy: "Check the user, the password and the grants."
      )
    case "42P01", "3F000":
      VarveError(
        .notAStore,
        "the database is not a home of logs",
        at: place,
        remedy: "Prepare it with varve home init."
      )
    default:
      VarveError(
        .inputOutput,
        state == nil
          ? "the database cannot be reached: \(message)" : "the database failed: \(message)",
        at: place,
        remedy: "Check the server and its log, then try again."
      )
    }
  }
}

/// Calls a closure, and throws ``VarveError`` where PostgreSQL failed.
nonisolated(nonsending) func reportingFailures<Result>(
  _ body: () async throws -> Result
) async throws -> Result {
  do {
    return try await body()
  } catch let failure as PostgresFailure {
    throw failure.error
  }
}
