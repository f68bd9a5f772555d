public import Foundation
import VarveCore

/// A connection over two file descriptors: pipes, standard input and output, or the same socket
/// twice.
///
/// Waiting for bytes blocks a dedicated thread, never one that tasks run on. If the other side is
/// gone, writing throws, and no signal is raised.
public final class DescriptorConnection: ByteConnection {
  private let input: FileHandle
  private let output: FileHandle
  private let reading = DispatchQueue(label: "varve.sync.reading")
  private let writing = DispatchQueue(label: "varve.sync.writing")

  /// Creates a connection that reads from one file and writes to another, and closes both.
  public init(reading input: FileHandle, writing output: FileHandle) {
    self.input = input
    self.output = output
    #if canImport(Darwin)
    _ = fcntl(output.fileDescriptor, F_SETNOSIGPIPE, 1)
    #endif
  }

  /// Returns the next bytes, at most the given number; nil at the end.
  public func read(atMost byteCount: Int) async throws -> [UInt8]? {
    try await run(on: reading) { [input] in
      // `FileHandle` may wait until that many bytes have arrived; this returns what has arrived.
      var bytes = [UInt8](repeating: 0, count: byteCount)
      while true {
        let count = bytes.withUnsafeMutableBytes {
          System.read(input.fileDescriptor, $0.baseAddress, byteCount)
        }
        if count > 0 { return Array(bytes.prefix(count)) }
        if count == 0 { return nil }
        guard errno == EINTR else { throw Self.broken(errno) }
      }
    }
  }

  /// Writes bytes.
  public func write(_ bytes: [UInt8]) async throws {
    try await run(on: writing) { [output] in
      try Self.withoutPipeSignal {
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = rest.withUnsafeBytes {
            System.write(output.fileDescriptor, $0.baseAddress, $0.count)
          }
          if count > 0 { rest = rest.dropFirst(count) }
          guard count > 0 || errno == EINTR else { throw Self.broken(errno) }
        }
      }
    }
  }

  /// Closes both directions.
  public func close() async {
    try? await run(on: writing) { [output] in try output.close() }
    try? input.close()
  }

  private static func broken(_ number: Int32) -> VarveError {
    VarveError(
      .inputOutput,
      "the connection to the other store broke: \(String(cString: strerror(number)))",
      remedy: "Synchronise again: received commits are kept."
    )
  }

  /// Runs a body in which writing to a closed pipe is an error and raises no signal: the signal is
  /// directed at this thread, which blocks and consumes it.
  private static func withoutPipeSignal(_ body: () throws -> Void) throws {
    #if !canImport(Darwin)
    var pipe = sigset_t()
    var before = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
      var none = timespec()
      if sigismember(&before, SIGPIPE) == 0 { while sigtimedwait(&pipe, nil, &none) > 0 {} }
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    #endif
    try body()
  }

  private func run<Result: Sendable>(
    on queue: DispatchQueue,
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: .init { try body() }) }
    }
  }
}

/// The system calls, which the methods of the same names would hide.
private enum System {
  static func read(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    Foundation.read(file, bytes, count)
  }

  static func write(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    Foundation.write(file, bytes, count)
  }
}
