#if CommandLine && Server
import ArgumentParser
import Foundation
import VarveCore
import VarvePostgres
import VarveServer
import VarveStore

/// `varve serve`
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the stores of a folder, or the spaces of a database, over HTTP.",
    discussion: """
      Every *.varve file of the folder is a space: programs run operations on it, browsers read it, \
      and other stores synchronise with it by varve sync STORE URL. The first line printed is the \
      address. On SIGTERM and ^C the server completes open requests, then ends.

      Callers need a token, which varve token create makes. While there is none, the server prints \
      a link for this computer, which works once: the browser that opens it may do everything. With \
      --open, everyone on this computer may do everything. Documentation/Server.md describes the \
      routes.

      With --home, the spaces are those of a PostgreSQL database, which any number of hosts serve. \
      Documentation/PostgreSQL.md describes it. VARVE_HOME keeps a password in the URL from other \
      users of this computer.

      Examples:
        varve serve stores
        varve serve stores --open --port 0
        varve serve stores --host 0.0.0.0 --port 8080
        varve serve stores --tls-certificate cert.pem --tls-key key.pem
        varve serve --home postgres://app@db.example/varve --cache indexes
      """
  )

  @Argument(help: "The folder of the stores.", completion: .directory) var directory: String?
  @Option(help: "The port; 0 is any that is free. (default: 8642)") var port: Int?
  @Option(help: "The address on which to listen. (default: 127.0.0.1)") var host: String?
  @Flag(help: "Let everyone on this computer do everything.") var open = false
  @OptionGroup var shared: SharedSpaceOptions
  @OptionGroup var options: ServeOptions

  func run() async throws {
    try refuseKey()
    let settings = try await ServeSettings(file: options.config)
    let port = try port ?? settings.count("port") ?? 8_642
    let host = host ?? settings.text("host") ?? "127.0.0.1"
    let isOpen = try open || settings.flag("open") ?? false
    guard (0...65_535).contains(port) else {
      throw UsageError("--port must be between 0 and 65535.")
    }
    let isLoopback = ["127.0.0.1", "::1", "localhost"].contains(host)
    guard !isOpen || isLoopback else {
      throw UsageError("--open serves this computer only: leave --host out.")
    }
    let home = try await shared.home(settings, directory)
    let spaces = try await shared.spaces(settings, directory, home)
    let access: Access = isOpen ? .open : try await access(settings, home, isLoopback: isLoopback)
    let limits = try options.limits(settings)
    var server = VarveServer(spaces, access: access, host: host, port: port, limits: limits)
    server.tls = try options.tls(settings)
    server.names = try options.serverNames(settings)
    server.quotas = try options.quotas(settings)
    server.logger = try options.logger(settings)
    try await server.run { address in
      try? Output.line("listening on \(address)")
      guard case .linked(let linked) = access, let path = try? await linked.link() else { return }
      try? Output.line("open \(address)\(path)")
    }
    await home?.close()
  }

  /// Throws if there is a key: the operator would take the spaces for encrypted.
  private func refuseKey() throws {
    guard ProcessInfo.processInfo.environment["VARVE_KEY"] != nil else { return }
    throw VarveError(
      .unsupported,
      "a server does not encrypt its spaces with a key",
      at: "VARVE_KEY",
      remedy: "Unset it, and keep the folder on an encrypted disk."
    )
  }

  private func access(
    _ settings: ServeSettings,
    _ home: PostgresHome?,
    isLoopback: Bool
  ) async throws -> Access {
    let place = home.map { TokenPlace.home($0) } ?? .folder(directory ?? "")
    if let signed = try options.signedTokens(settings) {
      return .tokensAndSigned(place.file, signed)
    }
    let (entries, fault) = try await place.entries()
    // Where a token cannot be read, there is one: without its rights nobody may come in.
    guard entries.isEmpty, fault == nil else { return .tokens(place.file) }
    guard isLoopback else {
      throw UsageError("There is no token: make one with varve token create, or omit --host.")
    }
    return .linked(LinkedAccess(tokens: place.file))
  }
}
#endif
