#if Server
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import VarveCore

/// How a server decides who may call it.
public enum Access: Sendable {
  /// Everyone who can connect may do everything.
  case open
  /// The bearer of a token in the file has the rights that its grants give.
  case tokens(TokenFile)
  /// The bearer of a JSON Web Token signed by a known key has the rights that its claims give.
  case signed(SignedTokens)
  /// The token may be one of the file, or a signed one.
  case tokensAndSigned(TokenFile, SignedTokens)
  /// The browser that opened the link which the server printed may do everything. Its tokens give
  /// access as well, if it has any.
  case linked(LinkedAccess)

  /// Returns who sent a request.
  func principal(of request: Request) async throws -> Principal {
    switch self {
    case .open: return .anyone
    case .linked(let linked):
      if linked.tokens != nil, request.headers[.authorization] != nil {
        return try await principal(bearingTokenOf: request)
      }
      return try await linked.principal(of: request)
    case .tokens, .signed, .tokensAndSigned: return try await principal(bearingTokenOf: request)
    }
  }

  private func principal(bearingTokenOf request: Request) async throws -> Principal {
    let values = request.headers[values: .authorization]
    guard let text = values.first else { throw Self.unauthorized("missing") }
    let parts = text.split(separator: " ", maxSplits: 1)
    guard values.count == 1, parts.count == 2, parts[0].lowercased() == "bearer",
      let principal = try await principal(bearing: parts[1].trimmed)
    else { throw Self.unauthorized("unknown, expired or malformed") }
    return principal
  }

  private func principal(bearing token: String) async throws -> Principal? {
    do {
      return try await known(token)
    } catch let error as VarveError where [.invalidJSON, .invalidArgument].contains(error.code) {
      // It is the server's file that is wrong, not the request.
      throw VarveError(
        .busy,
        "the server cannot read its tokens or the keys of tokens",
        remedy: "Try again soon; an operator has to correct the file."
      )
    }
  }

  private func known(_ token: String) async throws -> Principal? {
    switch self {
    case .open: nil
    case .linked(let linked): try await linked.tokens?.principal(bearing: token)
    case .tokens(let file): try await file.principal(bearing: token)
    case .signed(let signed): try await signed.principal(bearing: token)
    case .tokensAndSigned(let file, let signed):
      if token.hasPrefix(TokenFile.prefix) {
        try await file.principal(bearing: token)
      } else {
        try await signed.principal(bearing: token)
      }
    }
  }

  /// A number that differs whenever a token may have lost its rights before its end.
  func revision() async -> Int {
    switch self {
    case .open: 0
    case .linked(let linked): await linked.tokens?.revision() ?? 0
    case .tokens(let file): await file.revision()
    case .signed(let signed): await signed.revision()
    case .tokensAndSigned(let file, let signed): await file.revision() + signed.revision()
    }
  }

  /// Whether it does not ask who calls.
  var isOpen: Bool {
    if case .open = self { true } else { false }
  }

  /// Whose signed tokens are accepted; nil if none are.
  var issuer: String? {
    switch self {
    case .open, .linked, .tokens: nil
    case .signed(let signed), .tokensAndSigned(_, let signed): signed.issuer
    }
  }

  /// The time by which tokens end.
  func now() -> Date {
    switch self {
    case .open: Date()
    case .linked(let linked): linked.tokens?.now() ?? Date()
    case .tokens(let file), .tokensAndSigned(let file, _): file.now()
    case .signed(let signed): signed.now()
    }
  }

  private static func unauthorized(_ what: String) -> VarveError {
    VarveError(
      .unauthorized,
      "the token is \(what)",
      at: "header Authorization",
      remedy: "Send a token in the header Authorization: Bearer TOKEN."
    )
  }
}

extension Principal {
  /// On whose behalf the log of a space is written to.
  func logCaller(in space: Space) -> LogCaller {
    LogCaller(subject, (role(in: space.name, space.id) ?? .reader) >= .admin ? .admin : .limited)
  }

  /// Throws if the principal surely has not a role in the space of a name, before it is opened. For
  /// principals without a role it does not exist.
  func requirePossible(_ role: Role, in space: SpaceName) throws {
    try require(role, in: space, having: self.role(inAnySpaceNamed: space.text))
  }

  /// Throws unless the principal has a role in the space with a name and an id.
  func require(_ role: Role, in space: SpaceName, _ id: SpaceID) throws {
    try require(role, in: space, having: self.role(in: space, id))
  }

  private func require(_ role: Role, in space: SpaceName, having own: Role?) throws {
    guard let own else {
      throw VarveError(
        .notFound,
        "there is no space \"\(space.text)\"",
        at: "space \(space.text)",
        remedy: "GET /v1/spaces lists the spaces."
      )
    }
    guard own >= role else {
      throw VarveError(
        .forbidden,
        "this needs the role \(role.rawValue) in the space \"\(space.text)\"; the token has "
          + own.rawValue,
        at: "space \(space.text)",
        remedy: roleRemedy
          ?? "Ask an admin of the space for that role, or an operator for a token with it."
      )
    }
  }

  /// Throws unless the principal is an operator.
  func requireOperator() throws {
    guard isOperator else {
      throw VarveError(
        .forbidden,
        "this needs an operator's token",
        at: "header Authorization",
        remedy: "Ask an operator of the server."
      )
    }
  }
}
#endif
