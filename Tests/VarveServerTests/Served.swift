#if CommandLine && Server
import Foundation
import Logging
import Synchronization
import VarveCore
import VarveJSON
import VarveServer
import VarveStore
import VarveTestSupport

/// A server in this process, with a folder of its own.
final class Served: Sendable {
  let scratch: Scratch
  let port: Int
  private let task: Task<Void, any Error>

  /// The address of the server.
  var address: String { "http://127.0.0.1:\(port)" }

  /// The settings of a server, besides its limits.
  struct Settings {
    var tls: TLSFiles?
    var names = ServerNames()
    var quotas = ServerQuotas()
    var logger: Logger?
    /// How the stores of the folder are opened.
    var stores = Store.Configuration()
  }

  /// Runs a body with a server, which ends with it.
  static func with<Result>(
    _ access: Access = .open,
    limits: ServerLimits = ServerLimits(),
    scratch: Scratch? = nil,
    port: Int = 0,
    settings: Settings = Settings(),
    webhooks: WebhookPolicy = WebhookPolicy(),
    _ body: (Served) async throws -> Result
  ) async throws -> Result {
    let scratch = try scratch ?? Scratch()
    let served = try await listening(at: port) {
      try await Served(access, limits, scratch, $0, settings, webhooks)
    }
    do {
      let result = try await body(served)
      await served.stop()
      return result
    } catch {
      await served.stop()
      throw error
    }
  }

  /// Starts a server at a port, or at one that a later server can have again: the system gives such
  /// ports to no connection. A port of a server that has just ended may be in use for a while.
  private static func listening(
    at port: Int,
    _ start: (Int) async throws -> Served
  ) async throws -> Served {
    for _ in 0..<100 {
      do {
        return try await start(port > 0 ? port : .random(in: 20_000..<32_000))
      } catch let error as VarveError
        where error.code == .inputOutput && error.message.contains("cannot listen")
      {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    return try await start(port)
  }

  private init(
    _ access: Access,
    _ limits: ServerLimits,
    _ scratch: Scratch,
    _ port: Int,
    _ settings: Settings,
    _ webhooks: WebhookPolicy
  ) async throws {
    self.scratch = scratch
    let spaces = try SpaceDirectory(
      scratch.path,
      configuration: settings.stores,
      openLimit: limits.openSpaceCount
    )
    var server = VarveServer(
      spaces,
      access: access,
      port: port,
      limits: limits,
      webhooks: webhooks
    )
    server.tls = settings.tls
    server.names = settings.names
    server.quotas = settings.quotas
    if let logger = settings.logger { server.logger = logger }
    let (addresses, listening) = AsyncStream<String>.makeStream()
    task = Task { [server] in
      defer { listening.finish() }
      try await server.run(handlesSignals: false) { listening.yield($0) }
    }
    var first = addresses.makeAsyncIterator()
    guard let text = await first.next()?.split(separator: ":").last, let port = Int(text) else {
      try await task.value
      throw CancellationError()
    }
    self.port = port
    Self.keepFromChildren(port)
  }

  /// Prevents processes that other tests start from inheriting the socket of a server, which would
  /// keep its port taken after its end.
  private static func keepFromChildren(_ port: Int) {
    for descriptor in Int32(3)..<4096 {
      var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(descriptor, $0, &length)
        }
      }
      guard status == 0, address.sin_port == in_port_t(UInt16(port)).bigEndian else { continue }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  func stop() async {
    try? await end()
  }

  /// Cancels the server and waits for its end.
  ///
  /// - Throws: what ended it, unless that is the cancellation.
  func end() async throws {
    task.cancel()
    do { try await task.value } catch is CancellationError {}
  }

  // MARK: Requests

  /// Sends a request and returns the whole reply.
  func send(
    _ method: String,
    _ path: String,
    _ body: String? = nil,
    type: String? = "application/json",
    headers: [String: String] = [:]
  ) async throws -> Reply {
    var head = "\(method) \(path) HTTP/1.1\r\n"
    var headers = headers
    if headers["Host"] == nil { headers["Host"] = "127.0.0.1:\(port)" }
    headers["Connection"] = "close"
    if let body {
      headers["Content-Length"] = "\(body.utf8.count)"
      if let type, headers["Content-Type"] == nil { headers["Content-Type"] = type }
    }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    let text = head + "\r\n" + (body ?? "")
    let port = port
    return try await Self.aside {
      let connection = try RawConnection(port: port)
      connection.write(Array(text.utf8))
      return try Reply(connection.readToEnd())
    }
  }

  /// Runs a blocking closure on a thread of its own.
  static func aside<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { done in
      Thread.detachNewThread { done.resume(with: Swift.Result { try body() }) }
    }
  }

  /// Sends bytes as they are, and returns everything that comes back until the server closes, or
  /// 30 seconds pass without anything.
  func sendRaw(_ bytes: [UInt8]) async throws -> [UInt8] {
    let port = port
    return try await Self.aside {
      let connection = try RawConnection(port: port)
      connection.write(bytes)
      return connection.readToEnd()
    }
  }

  /// Opens a connection and sends the head of a request that has no body.
  func open(_ path: String, headers: [String: String] = [:]) throws -> RawConnection {
    let connection = try RawConnection(port: port)
    var head = "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    // So that the end of the reply is the end of the connection.
    head += "Connection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    connection.write(Array((head + "\r\n").utf8))
    return connection
  }

  func get(_ path: String, headers: [String: String] = [:]) async throws -> Reply {
    try await send("GET", path, headers: headers)
  }

  /// Runs an operation on a space and returns its result.
  @discardableResult
  func run(_ operation: String, in space: String = "hats") async throws -> JSON {
    let reply = try await send("POST", "/v1/spaces/\(space)/operations", operation)
    guard reply.status == 200 else { throw reply }
    return try reply.json["result"] ?? .null
  }

  /// Creates a space.
  func create(_ space: String = "hats") async throws {
    let reply = try await send("PUT", "/v1/spaces/\(space)", "")
    guard reply.status == 201 else { throw reply }
  }
}

/// The reply to a request.
struct Reply: Error, CustomStringConvertible {
  let status: Int
  let headers: [String: String]
  let body: [UInt8]

  /// Reads a reply that ended with its connection.
  init(_ bytes: [UInt8]) throws {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    status = Int(lines[0].split(separator: " ")[1]) ?? 0
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    self.headers = headers
    let rest = Array(bytes[end.upperBound...])
    body = headers["transfer-encoding"] == "chunked" ? Self.joined(rest) : rest
  }

  /// Joins chunks.
  private static func joined(_ bytes: [UInt8]) -> [UInt8] {
    var (body, rest) = ([UInt8](), bytes[...])
    while let end = rest.firstRange(of: Array("\r\n".utf8)),
      let count = Int(String(decoding: rest[..<end.lowerBound], as: UTF8.self), radix: 16),
      count > 0
    {
      body += rest[end.upperBound...].prefix(count)
      rest = rest[end.upperBound...].dropFirst(count + 2)
    }
    return body
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  var json: JSON {
    get throws { try JSONReader.read(bytes: body) }
  }

  var description: String { "\(status) \(text)" }
}

/// A connection to a server, without any library that could hide what is sent.
///
/// `@unchecked Sendable`: its only property is the number of the socket, which never changes, and
/// the system's calls on a socket may come from any thread.
final class RawConnection: @unchecked Sendable {
  private let descriptor: Int32

  init(port: Int) throws {
    // A server that closes the connection shows as a failed write.
    signal(SIGPIPE, SIG_IGN)
    #if canImport(Darwin)
    descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // Also after an error, deinit closes the socket.
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_RCVTIMEO,
      &limit,
      socklen_t(MemoryLayout<timeval>.size)
    )
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { sent($0) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func sent(_ bytes: UnsafeRawBufferPointer) -> Int {
    Foundation.write(descriptor, bytes.baseAddress, bytes.count)
  }

  /// Returns the bytes that arrive next; none at the end.
  func read() -> [UInt8] {
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let count = part.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    return count > 0 ? Array(part[..<count]) : []
  }

  /// Reads until a text has arrived, and returns everything up to then.
  func read(until text: String) -> String {
    var bytes: [UInt8] = []
    while !String(decoding: bytes, as: UTF8.self).contains(text) {
      let part = read()
      if part.isEmpty { break }
      bytes += part
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads to the end, and returns whether the server closed the connection: false if 30 seconds
  /// pass without anything.
  func isClosedAfterReading() -> Bool {
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = part.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count <= 0 { return count == 0 || errno == ECONNRESET }
    }
  }

  func readToEnd() -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let part = read()
      if part.isEmpty { return bytes }
      bytes += part
    }
  }
}
#endif
