#if Server
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import VarveCore

/// The address of a set of keys.
enum KeyAddress {
  private static let byteCount = 1 << 20

  /// The client, which follows no redirection: it could lead to a place without TLS.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  /// Throws unless keys may be fetched from an address: over TLS, or from this computer.
  ///
  /// - Throws: `VarveError` with code `invalidArgument`.
  static func require(_ url: String) throws {
    let parts = URLComponents(string: url)
    let host = parts?.host?.lowercased() ?? ""
    let isPermitted =
      switch parts?.scheme?.lowercased() {
      case "https": !host.isEmpty
      case "http": ["127.0.0.1", "localhost", "[::1]", "::1"].contains(host)
      default: false
      }
    guard isPermitted, parts?.user == nil, parts?.password == nil else {
      throw VarveError(
        .invalidArgument,
        "keys are fetched by https only, or by http from this computer",
        remedy: "Write an https address without a user, or the path of a file."
      )
    }
  }

  /// Fetches what is at an address.
  @Sendable static func get(_ url: String) async throws -> [UInt8] {
    try await get(url, within: .seconds(10))
  }

  /// Fetches what is at an address, which may send its bytes one by one.
  static func get(_ url: String, within patience: Duration) async throws -> [UInt8] {
    try require(url)
    return try await withThrowingTaskGroup(of: [UInt8].self) { group in
      group.addTask { try await load(url) }
      group.addTask {
        try await Task.sleep(for: patience)
        throw VarveError(.inputOutput, "the key server did not reply within \(patience)")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? []
    }
  }

  private static func load(_ url: String) async throws -> [UInt8] {
    var request = HTTPClientRequest(url: url)
    request.headers.add(name: "Accept", value: "application/json")
    let response = try await client.execute(request, timeout: .seconds(10))
    guard response.status.code == 200 else {
      throw VarveError(.inputOutput, "the key server returned status \(response.status.code)")
    }
    return Array(try await response.body.collect(upTo: byteCount).readableBytesView)
  }
}

extension SignedTokens.Keys {
  /// Reads the place of keys: the address of a set, or the path of a file.
  ///
  /// - Throws: `VarveError` with code `invalidArgument` for an address by which keys are not
  ///   fetched.
  package init(_ text: String) throws {
    guard text.contains("://") else {
      self = .file(text)
      return
    }
    try KeyAddress.require(text)
    self = .url(text)
  }
}
#endif
