import VarveCore

/// Failures as errors for callers.
extension PostgresFailure {
  /// The error for callers. What the server said, and where it is, is the cause.
  var error: VarveError {
    let (code, message, remedy) = described
    return VarveError(code, message, at: PostgresAddress.shown, remedy: remedy)
      .caused(by: "\(self.message) (\(place))")
  }

  private var described: (VarveError.Code, String, String) {
    if isOfFullServer {
      return (
        .busy, "the database has no connection left",
        "Try again, limit the connections of each host, or allow more at the server."
      )
    }
    switch state {
    case "55P03":
      return (
        .busy, "another host held the log for too long", "Try again, or allow more time."
      )
    case "25P03", "57P05":
      return (
        .busy, "the database ended the transaction, because this host was stopped for too long",
        "Try again."
      )
    case "53100":
      return (.diskFull, "the database has no space left", "Give the server more space.")
    case "25006":
      return (
        .readOnly, "the database is read-only",
        "Connect to the primary, for example by target_session_attrs=read-write."
      )
    case "28000", "28P01", "42501":
      return (
        .inputOutput, "the database refuses access", "Check the user, the password and the grants."
      )
    case "3D000":
      return (
        .inputOutput, "the server has no such database", "Check the name, or create the database."
      )
    case "26000", "42P05":
      return (
        .busy, "a pooler gave the connection another session of the database", "Try again."
      )
    case "42P01", "3F000":
      return (
        .notAStore, "the database is not a home of logs", "Prepare it with varve home init."
      )
    default:
      return (
        .inputOutput, isBroken ? "the database cannot be reached" : "the database failed",
        "Check the server and its log, then try again."
      )
    }
  }
}
