#if CommandLine && Server && YAML
import Foundation

/// A process to be started, with nothing to read and two files to write to.
///
/// Foundation's `Process` is not used: on Linux, up to Swift 6.3, it crashes now and then while it
/// lists open files (swift-corelibs-foundation 5472), and leaks some with every run.
struct Child: Sendable {
  let program: String
  let arguments: [String]
  let environment: [String: String]
  /// Where its standard output goes.
  let output: String
  /// Where its standard error goes.
  let errors: String

  #if canImport(Darwin)
  private typealias Actions = posix_spawn_file_actions_t?
  private typealias Attributes = posix_spawnattr_t?
  #else
  private typealias Actions = posix_spawn_file_actions_t
  private typealias Attributes = posix_spawnattr_t
  #endif

  /// Runs it to its end; its exit status, or 128 and the number of the signal that ended it.
  func run() async throws -> Int32 {
    let child = try start()
    return await withCheckedContinuation { done in
      DispatchQueue.global().async {
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        let signal = status & 0x7F
        done.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
      }
    }
  }

  /// The signals that end a program. A child would inherit that its runner ignores them, as a job
  /// in the background of a script does.
  private static let endingSignals: sigset_t = {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
    return signals
  }()

  private func start() throws -> pid_t {
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
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for (descriptor, path) in [(STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      let flags = O_WRONLY | O_CREAT | O_TRUNC
      posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
    }
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, program, &actions, &attributes, &argv, &envp)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return child
  }
}
#endif
