import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process to be started. It inherits nothing but its input and two files to write to.
///
/// Foundation's `Process` is not used: on Linux, up to Swift 6.3, it crashes now and then while it
/// lists open files (swift-corelibs-foundation 5472). It notices the end of a process by a socket,
/// of which a process that is started at the same time may hold a copy.
package struct ChildProcess: Sendable {
  package var program: String
  package var arguments: [String]
  package var environment: [String: String]
  /// The pipe that it reads; nil for an empty input.
  package var input: Lifeline?
  /// The file to which its standard output goes.
  package var output: String
  /// The file to which its standard error goes.
  package var errors: String

  package init(
    _ program: String,
    _ arguments: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment,
    input: Lifeline? = nil,
    output: String = "/dev/null",
    errors: String = "/dev/null"
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
    self.output = output
    self.errors = errors
  }

  #if canImport(Darwin)
  private typealias Actions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
  #else
  private typealias Actions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
  #endif

  /// Runs it to its end; its exit status, or 128 and the number of the signal that ended it.
  package func run() async throws -> Int32 { try await start().wait() }

  /// Starts it.
  package func start() throws -> RunningProcess { RunningProcess(try spawn()) }

  /// The signals that end a program. A child would inherit that its runner ignores them, as a job
  /// in the background of a script does.
  private static let endingSignals: sigset_t = {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
    return signals
  }()

  /// More than the descriptors that tests have open at once.
  private static let descriptorLimit: Int32 = 8_192

  private func spawn() throws -> pid_t {
    #if canImport(Darwin)
    var actions: Actions
    var attributes: Attributes
    #else
    var actions = Actions()
    var attributes = Attributes()
    #endif
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = Self.endingSignals
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input {
      let descriptor = input.standardInput.fileHandleForReading.fileDescriptor
      posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
    } else {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    for (descriptor, path) in [(STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      let flags = O_WRONLY | O_CREAT | O_TRUNC
      posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
    }
    #if canImport(Darwin)
    let flags = Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
    let flags = Int16(POSIX_SPAWN_SETSIGDEF)
    // Those that are not open do not matter.
    for descriptor in STDERR_FILENO + 1..<Self.descriptorLimit {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    #endif
    posix_spawnattr_setflags(&attributes, flags)
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, program, &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return child
  }
}

/// A process that was started.
package final class RunningProcess: Sendable {
  /// The number by which the system knows it.
  package let number: Int32
  private let status = Mutex<Int32?>(nil)

  fileprivate init(_ number: pid_t) { self.number = number }

  /// Whether it has not ended yet.
  package var isRunning: Bool {
    status.withLock { status in
      guard status == nil else { return false }
      var found: Int32 = 0
      guard waitpid(number, &found, WNOHANG) == number else { return true }
      status = Self.exitStatus(found)
      return false
    }
  }

  /// Waits for its end; its exit status, or 128 and the number of the signal that ended it.
  @discardableResult
  package func wait() async throws -> Int32 {
    while isRunning { try await Task.sleep(for: .milliseconds(2)) }
    return status.withLock { $0 } ?? 0
  }

  /// Sends a signal, unless it has ended.
  package func signal(_ signal: Int32) {
    guard isRunning else { return }
    _ = kill(number, signal)
  }

  fileprivate static func exitStatus(_ status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
