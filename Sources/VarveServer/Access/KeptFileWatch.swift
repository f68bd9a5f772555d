#if Server
import Logging
import ServiceLifecycle
import VarveCore

/// Looks at what an operator keeps for a server: tokens, keys of tokens, grants and webhooks. It logs
/// what cannot be read of them. What can be read counts; if nothing can, what was read before.
struct KeptFileWatch: Service {
  let access: Access
  let grants: GrantBook?
  /// The folder with the webhooks; nil if there are none.
  let folder: String?
  let logger: Logger

  /// The time between two looks.
  private static let interval = Duration.seconds(1)

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      var logged: [String: String] = [:]
      while true {
        for (what, fault) in await faults() {
          let reason = fault.map { fault in
            fault.message + (fault.cause.map { ": \($0)" } ?? "")
              + (fault.place.map { " (at \($0))" } ?? "")
          }
          guard reason != logged[what] else { continue }
          logged[what] = reason
          log(reason, of: what, isPartial: fault?.code == .invalidJSON)
        }
        try await Task.sleep(for: Self.interval)
      }
    }
  }

  private func faults() async -> [(String, VarveError?)] {
    var faults: [(String, VarveError?)] = []
    if let tokens = access.tokenFile { faults.append(("tokens", await tokens.fault())) }
    if let signed = access.signed { faults.append(("keys of tokens", await signed.fault())) }
    if let grants { faults.append(("grants", await grants.fault())) }
    if let folder { faults.append(("webhooks", WebhookFolder(folder).fault)) }
    return faults
  }

  private func log(_ reason: String?, of what: String, isPartial: Bool) {
    guard let reason else { return logger.notice("the \(what) can be read again") }
    // An address may reply at the next attempt.
    let isTransient = access.signed?.isFetched == true && what == "keys of tokens"
    logger.log(
      level: isTransient ? .warning : .error,
      isPartial && what != "keys of tokens"
        ? "some of the \(what) cannot be read; the others count"
        : "the \(what) cannot be read; those that are known stay in use",
      metadata: ["reason": "\(reason.loggedField)"]
    )
  }
}

extension Access {
  /// Reads what tokens are verified with for the first time.
  ///
  /// - Throws: `VarveError`: `invalidArgument`, `notFound`, `inputOutput` if it cannot be used.
  func prepare() async throws { try await signed?.prepare() }

  /// The tokens of the server itself, if it has any.
  fileprivate var tokenFile: TokenFile? {
    switch self {
    case .open, .signed: nil
    case .linked(let linked): linked.tokens
    case .tokens(let file), .tokensAndSigned(let file, _): file
    }
  }

  /// The reader of signed tokens, if they are accepted.
  fileprivate var signed: SignedTokens? {
    switch self {
    case .open, .linked, .tokens: nil
    case .signed(let signed), .tokensAndSigned(_, let signed): signed
    }
  }
}
#endif
