import ArgumentParser
import Foundation
import VarveServer

/// `varve serve`
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve the stores of a folder over HTTP.",
    discussion: """
      Every *.varve file of the folder is a space: programs run operations on it, browsers read it, \
      and other stores synchronise with it by varve sync STORE URL. The first line printed is the \
      address. On SIGTERM and ^C the server completes open requests, then ends.

      Callers need a token, which varve token create makes. While there is none, the server prints \
      a link for this computer, which works once: the browser that opens it may do everything. With \
      --open, everyone on this computer may do everything. Documentation/Server.md describes the \
      routes.

      Examples:
        varve serve stores
        varve serve stores --open --port 0
        varve serve stores --host 0.0.0.0 --port 8080
        varve serve stores --tls-certificate cert.pem --tls-key key.pem
      """
  )

  @Argument(help: "The folder of the stores.", completion: .directory) var directory: String
  @Option(help: "The port; 0 is any that is free. (default: 8642)") var port: Int?
  @Option(help: "The address on which to listen. (default: 127.0.0.1)") var host: String?
  @Flag(help: "Let everyone on this computer do everything.") var open = false
  @OptionGroup var options: ServeOptions

  func run() async throws {
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
    let access: Access = isOpen ? .open : try access(settings, isLoopback: isLoopback)
    var server = VarveServer(try SpaceDirectory(directory), access: access, host: host, port: port)
    server.tls = try options.tls(settings)
    server.names = options.serverNames(settings)
    server.quotas = try options.quotas(settings)
    server.logger = try options.logger(settings)
    try await server.run { address in
      try? Output.line("listening on \(address)")
      guard case .linked(let linked) = access, let path = try? await linked.link() else { return }
      try? Output.line("open \(address)\(path)")
    }
  }

  private func access(_ settings: ServeSettings, isLoopback: Bool) throws -> Access {
    let tokens = TokenArguments.file(in: directory)
    if let signed = try options.signedTokens(settings) {
      return .tokensAndSigned(TokenFile(tokens), signed)
    }
    guard try TokenFile.read(tokens).isEmpty else { return .tokens(TokenFile(tokens)) }
    guard isLoopback else {
      throw UsageError("There is no token: make one with varve token create, or omit --host.")
    }
    return .linked(LinkedAccess())
  }
}
