#if CommandLine && Server
import Foundation

/// A socket that accepts connections on a free port of loopback until it is released.
///
/// `@unchecked Sendable`: the socket's number never changes, and calls of the system on a socket may
/// come from any thread.
final class ListeningSocket: @unchecked Sendable {
  let port: Int
  private let descriptor: Int32

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
  }

  /// Ends the listening. The thread that accepts closes the socket: its number may soon be that of
  /// another.
  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Calls a closure with each connection, on a thread of its own. The connection closes once it
  /// returns.
  func accept(_ serve: @escaping @Sendable (Int32) -> Void) {
    Thread.detachNewThread { [descriptor] in
      while true {
        let connection = Foundation.accept(descriptor, nil, nil)
        guard connection >= 0 else { break }
        serve(connection)
        close(connection)
      }
      close(descriptor)
    }
  }
}
#endif
