#if CommandLine && Server
import Foundation
import Synchronization

/// A small HTTP server that keeps what it receives, and accepts or refuses it.
final class Receiver: Sendable {
  struct Received: Sendable {
    let path: String
    let headers: [String: String]
    let body: String
  }

  private struct State {
    var received: [Received] = []
    var refuses: @Sendable (String) -> Bool = { _ in false }
    var target: String?
  }

  private let socket: ListeningSocket
  private let state = Mutex(State())

  var port: Int { socket.port }

  init() throws {
    socket = try ListeningSocket()
    socket.accept { [weak self] in self?.serve($0) }
  }

  func requests() -> [Received] { state.withLock { $0.received } }

  /// Refuses the bodies for which a closure returns true.
  func refuse(_ refuses: @escaping @Sendable (String) -> Bool) {
    state.withLock { $0.refuses = refuses }
  }

  /// Redirects every request.
  func redirect(to target: String) { state.withLock { $0.target = target } }

  private func serve(_ connection: Int32) {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    var request: Received?
    while request == nil {
      let count = recv(connection, &part, part.count, 0)
      guard count > 0 else { return }
      bytes += part[..<count]
      request = Self.parsed(bytes)
    }
    guard let request else { return }
    let isRefused = state.withLock { state in
      state.received.append(request)
      return state.refuses(request.body)
    }
    let target = state.withLock { $0.target }
    let status =
      target.map { "307 Temporary Redirect\r\nLocation: \($0)" }
      ?? (isRefused ? "500 Internal Server Error" : "200 OK")
    let reply = Array("HTTP/1.1 \(status)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
    _ = send(connection, reply, reply.count, 0)
  }

  /// Returns a request, if it is complete.
  private static func parsed(_ bytes: [UInt8]) -> Received? {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let body = bytes[end.upperBound...]
    guard body.count >= Int(headers["content-length"] ?? "0") ?? 0 else { return nil }
    let path = lines.first.map { $0.split(separator: " ").dropFirst().prefix(1).joined() } ?? ""
    return Received(path: path, headers: headers, body: String(decoding: body, as: UTF8.self))
  }
}
#endif
