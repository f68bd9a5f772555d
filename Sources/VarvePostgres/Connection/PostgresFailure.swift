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

  private init(_ state: String?, _ message: String, _ place: String, _ call: Int, _ isBroken: Bool)
  {
    self.state = state
    self.message = message.split(whereSeparator: \.isNewline).joined(separator: "; ")
    self.place = place
    self.call = call
    self.isBroken = isBroken
  }

  /// A connection that is lost.
  init(_ message: String, at place: String, call: Int = 0, isBroken: Bool) {
    self.init(nil, message, place, call, isBroken)
  }

  /// A result that is an error.
  init(_ result: OpaquePointer, call: Int, _ address: PostgresAddress) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    let whole = PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
    let state = field("C")
    self.init(
      state,
      address.scrubbed(field("M") ?? whole),
      address.place,
      call,
      ["FATAL", "PANIC"].contains(field("V")) || state == nil || Self.isOfStatementName(state)
    )
  }

  /// A connection that cannot be made. libpq's text has the code that the server sent, if it sent
  /// one: `FATAL:  53300: sorry, too many clients already`, and a line about PostgreSQL's source.
  init(connecting text: String, _ address: PostgresAddress) {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("LOCATION:") }
    let message = address.scrubbed(lines.joined(separator: "\n"))
    let code = message.matches(of: #/:  ([0-9A-Z]{5}): /#).last.map { String($0.1) }
    self.init(
      code,
      code.map { message.replacing(":  \($0): ", with: ":  ") } ?? message,
      address.place,
      0,
      true
    )
  }

  /// The failure of this server and of another.
  func and(_ other: PostgresFailure) -> PostgresFailure {
    let message = message.contains(other.message) ? message : "\(message); \(other.message)"
    let state = isOfFullServer ? state : other.isOfFullServer ? other.state : nil
    return PostgresFailure(state, message, place, 0, true)
  }

  /// The failure, after which the connection was lost.
  var broken: PostgresFailure {
    var failure = self
    failure.isBroken = true
    return failure
  }

  /// Whether the server, or a pooler before it, accepts no further connection now.
  var isOfFullServer: Bool {
    state == "53300" || (state == "08P01" && message.contains("no more connections allowed"))
  }

  /// Whether a session does not have a prepared statement that it should have, or has it already.
  var isOfStatementName: Bool { Self.isOfStatementName(state) }

  private static func isOfStatementName(_ state: String?) -> Bool {
    ["26000", "42P05"].contains(state)
  }
}

/// Calls a closure, and throws `VarveError` where PostgreSQL failed.
nonisolated(nonsending) func reportingFailures<Result>(
  _ body: () async throws -> Result
) async throws -> Result {
  do {
    return try await body()
  } catch let failure as PostgresFailure {
    throw failure.error
  }
}
