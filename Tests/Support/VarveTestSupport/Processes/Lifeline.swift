package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A pipe whose other end ends a process: the process reads it until this process ends, in whatever
/// way.
package struct Lifeline: Sendable {
  private let pipe = Pipe()

  /// Creates a pipe.
  package init() {
    // A process that another test starts, and that outlives it, must not keep the pipe open.
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
  }

  /// The end that the process reads.
  package var standardInput: Pipe { pipe }

  /// Writes words for the process.
  package func write(_ text: String) throws {
    try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }
}
