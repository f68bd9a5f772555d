#if CommandLine
import ArgumentParser
import Foundation

/// Prepares the open files and arguments that a process starts with.
enum StandardStreams {
  /// Prepares the standard streams. Must be called before any file is opened.
  static func prepare() {
    // A closed reader appears as a failed write, so that stores are closed and files removed.
    signal(SIGPIPE, SIG_IGN)
    // So does a limit on the size of files.
    signal(SIGXFSZ, SIG_IGN)
    // A closed descriptor would be reused for the next file, and results would be written to it. So
    // it is replaced by one that refuses reading (input) or writing (outputs).
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Throws if an argument is not UTF-8, because it would be read as a different text.
  static func refuseArgumentsThatAreNoText() throws {
    let arguments = CommandLine.unsafeArgv
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = arguments[index], String(validatingCString: argument) == nil else {
        continue
      }
      throw UsageError("Argument \(index) is not UTF-8: \(String(cString: argument))")
    }
  }
}
#endif
