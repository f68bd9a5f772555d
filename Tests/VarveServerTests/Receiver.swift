import Foundation
import Synchronization

/// A small HTTP server that keeps what it receives, and accepts or refuses it.
///
/// `@unchecked Sendable`: the socket's number never changes, and everything else is behind a lock.
final class Receiver: @unchecked Sendable {
  struct Received: Sendable {
    let headers: [String: String]
    let body: String
  }

  private struct State {
    var received: [Received] = []
    var refuses: @Sendable (String) -> Bool = { _ in false }
  }

  let port: Int
  private let descriptor: Int32
  private let state = Mutex(State())

  init() throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var count = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, count) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &count) == 0
      }
    }
    guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        self?.serve(connection)
        close(connection)
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  func requests() -> [Received] { state.withLock { $0.received } }

  /// Refuses the bodies for which a closure returns true.
  func refuse(_ refuses: @escaping @Sendable (String) -> Bool) {
    state.withLock { $0.refuses = refuses }
  }

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
    let status = isRefused ? "500 Internal Server Error" : "200 OK"
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
    return Received(headers: headers, body: String(decoding: body, as: UTF8.self))
  }
}
