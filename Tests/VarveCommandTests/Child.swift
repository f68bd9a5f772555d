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
  #else
    private typealias Actions = posix_spawn_file_actions_t
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

  private func start() throws -> pid_t {
    #if canImport(Darwin)
      var actions: Actions
    #else
      var actions = Actions()
    #endif
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
    let code = posix_spawn(&child, program, &actions, nil, &argv, &envp)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return child
  }
}
