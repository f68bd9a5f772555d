import HTTPTypes
import Hummingbird
import HummingbirdCore
import VarveCore

/// How a server decides who may call it.
public enum Access: Sendable {
  /// Everyone who can connect may do everything.
  case open
  /// Whoever brings a token of the file may do what the token's grants say.
  case tokens(TokenFile)
  /// The browser that opened the link which the server printed may do everything.
  case linked(LinkedAccess)

  /// Returns who sent a request.
  func principal(of request: Request) async throws -> Principal {
    switch self {
    case .open: return .anyone
    case .linked(let linked): return try await linked.principal(of: request)
    case .tokens(let file):
      guard let text = request.headers[.authorization] else { throw Self.unauthorized("missing") }
      let parts = text.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[0].lowercased() == "bearer",
        let principal = try await file.principal(bearing: parts[1].trimmed)
      else { throw Self.unauthorized("unknown, expired or malformed") }
      return principal
    }
  }

  private static func unauthorized(_ what: String) -> VarveError {
    VarveError(
      .unauthorized,
      "the token is \(what)",
      remedy: "Send a token in the header Authorization: Bearer TOKEN."
    )
  }
}

extension Principal {
  /// Throws unless the principal has a role in a space. To those who are no members it does not
  /// exist.
  func require(_ role: Role, in space: SpaceName) throws {
    guard let own = self.role(in: space.text) else {
      throw VarveError(
        .notFound,
        "there is no space \"\(space.text)\"",
        remedy: "GET /v1/spaces lists those there are."
      )
    }
    guard own >= role else {
      throw VarveError(
        .forbidden,
        "this needs the role \(role.rawValue) in the space \"\(space.text)\"; the token has "
          + own.rawValue,
        remedy: "Ask an operator of the server for a token with that role."
      )
    }
  }

  /// Throws unless the principal is an operator.
  func requireOperator() throws {
    guard isOperator else {
      throw VarveError(
        .forbidden,
        "this needs a token of an operator",
        remedy: "Ask an operator of the server."
      )
    }
  }
}
