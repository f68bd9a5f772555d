#if CommandLine && Server
import Foundation
import Synchronization
import VarveTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Passes what clients and a PostgreSQL server say to each other, until it cuts a connection.
final class CuttingProxy: Sendable {
  /// Where a connection is cut.
  enum Cut {
    /// Before a message reaches the server.
    case before
    /// After the server has executed a message, before its reply reaches the client.
    case after
    /// Before the first message of a pipeline; the connection stays open, as that of a machine that is
    /// stopped. Only pipelines count.
    case silently
  }

  private struct State {
    var armed: (count: Int, cut: Cut)?
  }

  /// The folder of the socket.
  let folder: String
  private let server: String
  private let scratch: Scratch
  private let listener: Int32
  private let state = Mutex(State())
  private let isSilent: Bool

  /// - Parameters:
  ///   - server: the folder of the server's socket.
  ///   - isSilent: whether it passes nothing on, as a machine that is stopped.
  init(to server: String, isSilent: Bool = false) throws {
    self.server = server
    self.isSilent = isSilent
    scratch = try Scratch()
    // The path of a socket has at most about a hundred bytes.
    folder = "/tmp/varve-proxy-\(UUID().uuidString.prefix(13))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    listener = try Self.socket()
    try Self.withAddress(folder) { address, count in
      guard bind(listener, address, count) == 0, listen(listener, 64) == 0 else {
        throw TrialFailure("the proxy cannot listen")
      }
    }
    Thread.detachNewThread { [listener, weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else {
          close(listener)
          return
        }
        self?.serve(client)
      }
    }
  }

  deinit {
    // The thread that accepts closes the socket: its number may soon be another's.
    _ = shutdown(listener, Int32(SHUT_RDWR))
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Cuts the connection on which the message with a number from now on is sent.
  func arm(_ count: Int, _ cut: Cut) { state.withLock { $0.armed = (count, cut) } }

  /// Cuts nothing more. Returns whether something was cut.
  func disarm() -> Bool {
    state.withLock { state in
      defer { state.armed = nil }
      return state.armed == nil
    }
  }

  /// Counts a message. Returns how the connection is to be cut at it.
  private func count(isFirstOfPipeline: Bool) -> Cut? {
    state.withLock { state in
      guard let armed = state.armed, isFirstOfPipeline || armed.cut != .silently else { return nil }
      state.armed = armed.count > 0 ? (armed.count - 1, armed.cut) : nil
      return armed.count > 0 ? nil : armed.cut
    }
  }

  private func serve(_ client: Int32) {
    // The connection stays open, and nothing comes.
    guard !isSilent else { return }
    guard let upstream = try? Self.socket(),
      (try? Self.withAddress(server, { connect(upstream, $0, $1) })) == 0
    else {
      close(client)
      return
    }
    let link = Link(client: client, server: upstream)
    Thread.detachNewThread { [weak self] in
      self?.passRequests(link)
      link.end()
    }
    Thread.detachNewThread {
      Self.passReplies(link)
      link.end()
    }
  }

  private func passRequests(_ link: Link) {
    var isFirst = true
    var isFirstOfPipeline = true
    while let message = link.message(from: link.client, isTyped: !isFirst) {
      let cut = isFirst ? nil : count(isFirstOfPipeline: isFirstOfPipeline)
      isFirstOfPipeline = isFirst || message.first == UInt8(ascii: "S")
      isFirst = false
      if cut == .before { return }
      if cut == .silently { return link.waitForReply() }
      // The reply to the end of a pipeline comes after all before it was executed.
      if cut == .after, message.first == UInt8(ascii: "S") {
        link.mute()
        guard link.send(message, to: link.server) else { return }
        link.waitForReply()
        return
      }
      guard link.send(message, to: link.server) else { return }
      if cut == .after { return }
    }
  }

  private static func passReplies(_ link: Link) {
    while let message = link.message(from: link.server, isTyped: true) {
      guard !link.isMute else {
        if message.first == UInt8(ascii: "Z") { return }
        continue
      }
      guard link.send(message, to: link.client) else { return }
    }
  }

  private static func socket() throws -> Int32 {
    #if canImport(Glibc)
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
    let descriptor = Darwin.socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    guard descriptor >= 0 else { throw TrialFailure("the proxy gets no socket") }
    return descriptor
  }

  private static func withAddress<Result>(
    _ folder: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Result
  ) throws -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("\(folder)/.s.PGSQL.5432".utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path + [0]) }
    return try withUnsafePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// A connection of a client, and the proxy's own to the server.
private final class Link: Sendable {
  let client: Int32
  let server: Int32
  private let isEnded = Mutex(false)
  private let muteness = Mutex(false)
  private let replied = DispatchSemaphore(value: 0)

  init(client: Int32, server: Int32) {
    self.client = client
    self.server = server
  }

  deinit {
    close(client)
    close(server)
  }

  var isMute: Bool { muteness.withLock { $0 } }

  func mute() { muteness.withLock { $0 = true } }

  /// Waits until the server has replied, or one of the two has closed the connection.
  func waitForReply() { replied.wait() }

  func end() {
    replied.signal()
    let wasEnded = isEnded.withLock { ended in
      defer { ended = true }
      return ended
    }
    guard !wasEnded else { return }
    for socket in [client, server] { _ = shutdown(socket, Int32(SHUT_RDWR)) }
  }

  /// Reads a message: its type, its length and its content. The first of a client has no type.
  func message(from socket: Int32, isTyped: Bool) -> [UInt8]? {
    guard let head = bytes(isTyped ? 5 : 4, from: socket) else { return nil }
    let length = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    guard let content = bytes(length - 4, from: socket) else { return nil }
    return head + content
  }

  private func bytes(_ count: Int, from socket: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let more = bytes.withUnsafeMutableBytes { buffer in
        recv(socket, buffer.baseAddress.map { $0 + done }, count - done, 0)
      }
      guard more > 0 else { return nil }
      done += more
    }
    return bytes
  }

  func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let more = bytes.withUnsafeBytes { buffer in
        #if canImport(Glibc)
        Glibc.send(
          socket,
          buffer.baseAddress.map { $0 + done },
          bytes.count - done,
          Int32(MSG_NOSIGNAL)
        )
        #else
        Darwin.send(socket, buffer.baseAddress.map { $0 + done }, bytes.count - done, 0)
        #endif
      }
      guard more > 0 else { return false }
      done += more
    }
    return true
  }
}
#endif
