#if Server
import HTTPTypes
import NIOHTTP1
import VarveCore

/// What is wrong with the head of a request.
enum HeadFault {
  /// Returns the problem of a head that cannot be read.
  static func problem(of error: HTTPParserError, hasLongTarget: Bool) -> Problem {
    guard error == .headerOverflow else {
      return Problem(
        .badRequest,
        VarveError.Code.invalidArgument.rawValue,
        "the head of the request cannot be read",
        at: "head",
        remedy: "Send it as HTTP/1.1 says (RFC 9112)."
      )
    }
    return hasLongTarget
      ? .longTarget
      : Problem(
        .requestHeaderFieldsTooLarge,
        "tooLarge",
        "the headers are too many or too large",
        at: "headers",
        remedy: "GET /v1 lists the limits."
      )
  }

  /// Returns the problem of a head that could be meant for two servers; nil if it is clear.
  static func problem(of head: HTTPRequestHead) -> Problem? {
    let hosts = head.headers["host"]
    guard hosts.count <= 1 else { return ambiguous("the request has several Host headers") }
    guard let target = head.uri.firstRange(of: "://"), !head.uri.hasPrefix("/") else { return nil }
    let authority = head.uri[target.upperBound...].prefix { !"/?#".contains($0) }
    guard hosts.first?.lowercased() == authority.lowercased() else {
      return ambiguous("the target names another host than the header Host")
    }
    return nil
  }

  private static func ambiguous(_ message: String) -> Problem {
    var problem = Problem(
      .badRequest,
      VarveError.Code.invalidArgument.rawValue,
      message,
      remedy: "Send one Host header, with the host and the port of the address."
    )
    problem.place = "header Host"
    return problem
  }
}

extension Problem {
  /// The path and the query are too long.
  static var longTarget: Problem {
    Problem(
      .uriTooLong,
      "tooLarge",
      "the path and the query are longer than this server accepts",
      at: "target",
      remedy: "GET /v1 lists the limits."
    )
  }
}
#endif
