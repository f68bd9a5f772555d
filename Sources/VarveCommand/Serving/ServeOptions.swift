#if CommandLine && Server
import ArgumentParser
import Foundation
import Logging
import VarveCore
import VarveServer

/// The options of `varve serve` beside where it listens.
struct ServeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A JSON file of settings.", valueName: "file"), completion: .file())
  var config: String?
  @Option(
    help: ArgumentHelp("The certificate as PEM, read anew when it changes.", valueName: "file"),
    completion: .file()
  )
  var tlsCertificate: String?
  @Option(help: ArgumentHelp("Its private key as PEM.", valueName: "file"), completion: .file())
  var tlsKey: String?
  @Option(
    name: .customLong("name"),
    help: ArgumentHelp("A host name that clients use for the server, such as a proxy's name.")
  )
  var names: [String] = []
  @Option(
    name: .customLong("origin"),
    help: ArgumentHelp("A site whose pages may call, such as https://app.example.")
  )
  var origins: [String] = []
  @Option(
    help: ArgumentHelp("Public keys of JSON Web Tokens: PEM, or a JWKS.", valueName: "file or URL")
  )
  var jwtKeys: String?
  @Option(help: "The issuer of JSON Web Tokens.") var jwtIssuer: String?
  @Option(help: "The audience of JSON Web Tokens.") var jwtAudience: String?
  @Option(
    help: ArgumentHelp("The requests a minute that each subject may send.", valueName: "count")
  )
  var quotaRequests: Int?
  @Option(
    help: ArgumentHelp(
      "The seconds after which an operation or a read is ended. (default: 30)",
      valueName: "count"
    )
  )
  var requestSeconds: Int?
  @Option(help: ArgumentHelp("The minimum log level: info or error.", valueName: "level"))
  var logLevel: String?

  /// Returns the certificate, if there is one.
  func tls(_ settings: ServeSettings) throws -> TLSFiles? {
    let certificate = tlsCertificate ?? settings.text("tls.certificate")
    switch (certificate, tlsKey ?? settings.text("tls.key")) {
    case (nil, nil): return nil
    case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
    default: throw UsageError("--tls-certificate and --tls-key belong together.")
    }
  }

  /// Returns the reader of JSON Web Tokens, if they are accepted.
  func signedTokens(_ settings: ServeSettings) throws -> SignedTokens? {
    guard let keys = jwtKeys ?? settings.text("jwt.keys") else { return nil }
    guard let issuer = jwtIssuer ?? settings.text("jwt.issuer"),
      let audience = jwtAudience ?? settings.text("jwt.audience")
    else { throw UsageError("--jwt-keys needs --jwt-issuer and --jwt-audience.") }
    do {
      return SignedTokens(try SignedTokens.Keys(keys), issuer: issuer, audience: audience)
    } catch let error as VarveError {
      throw UsageError("--jwt-keys: \(error.message).")
    }
  }

  func serverNames(_ settings: ServeSettings) throws -> ServerNames {
    let hosts = names.isEmpty ? settings.texts("names") ?? [] : names
    let sites = origins.isEmpty ? settings.texts("origins") ?? [] : origins
    if let host = hosts.first(where: { !ServerNames.isName($0) }) {
      throw UsageError(
        "--name \(host): write a host without scheme, port and path, as clients send it, such as [::1]."
      )
    }
    if let site = sites.first(where: { !ServerNames.isOrigin($0) }) {
      throw UsageError(
        "--origin \(site): write an origin as browsers send it, such as https://app.example."
      )
    }
    return ServerNames(hosts: hosts.isEmpty ? nil : Set(hosts), origins: Set(sites))
  }

  func quotas(_ settings: ServeSettings) throws -> ServerQuotas {
    var quotas = ServerQuotas()
    quotas.principal = try settings.quota("quota")
    quotas.principal.requests = quotaRequests ?? quotas.principal.requests
    quotas.space = try settings.quota("spaceQuota")
    for quota in [quotas.principal, quotas.space] {
      guard [quota.requests, quota.bytes, quota.commits].allSatisfy({ $0 ?? 1 > 0 }) else {
        throw UsageError("Quotas start at 1; without a quota there is no limit.")
      }
    }
    return quotas
  }

  /// Returns what a request may use.
  func limits(_ settings: ServeSettings) throws -> ServerLimits {
    var limits = ServerLimits()
    limits.requestSeconds =
      try requestSeconds ?? settings.count("limits.requestSeconds")
      ?? limits.requestSeconds
    limits.resultByteCount = try settings.count("limits.resultBytes") ?? limits.resultByteCount
    limits.principalRequestCount =
      try settings.count("limits.principalRequests") ?? limits.principalRequestCount
    limits.queryMemoryByteCount =
      try settings.count("limits.queryMemoryBytes")
      ?? limits.queryMemoryByteCount
    limits.graceSeconds = try settings.count("limits.graceSeconds") ?? limits.graceSeconds
    guard (0...86_400).contains(limits.graceSeconds) else {
      throw UsageError("The setting limits.graceSeconds is at most 86400.")
    }
    guard (1...86_400).contains(limits.requestSeconds) else {
      throw UsageError("--request-seconds must be between 1 and 86400.")
    }
    guard limits.resultByteCount > 0, limits.queryMemoryByteCount > 0,
      limits.principalRequestCount > 0
    else {
      throw UsageError(
        "The settings limits.resultBytes, limits.queryMemoryBytes and limits.principalRequests "
          + "start at 1."
      )
    }
    return limits
  }

  /// Returns the log of requests, on standard error.
  func logger(_ settings: ServeSettings) throws -> Logger {
    var logger = Logger(label: "varve") { StreamLogHandler.standardError(label: $0) }
    let text = logLevel ?? settings.text("logLevel") ?? "info"
    guard let level = Logger.Level(rawValue: text) else {
      let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--log-level must be one of \(levels).")
    }
    logger.logLevel = level
    return logger
  }
}
#endif
