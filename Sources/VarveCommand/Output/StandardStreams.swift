import ArgumentParser
import Foundation

/// What a process is given: three open files, and arguments.
enum StandardStreams {
  /// Makes sure of them before anything else is opened.
  static func prepare() {
    // A reader that leaves shows as a failed write, so that stores are closed and files removed.
    signal(SIGPIPE, SIG_IGN)
    // So does a limit to the size of files.
    signal(SIGXFSZ, SIG_IGN)
    // What is closed would be given to the next file opened, and answers written into it. In its
    // place stands what refuses: reading for the input, writing for the outputs.
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Throws for an argument that is not UTF-8: read as text it would name something else.
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
