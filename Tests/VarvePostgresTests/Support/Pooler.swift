#if CommandLine && Server
import Foundation
import VarveTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A PgBouncer before a server of the tests, reached by a Unix socket.
///
/// It ends when this process ends, in whatever way: a shell waits for the end of its standard input.
final class Pooler: Sendable {
  /// When a client gets another session of the server.
  enum Mode: String, CaseIterable {
    /// When it connects.
    case session
    /// For each transaction.
    case transaction
  }

  private let folder: String
  private let cluster: PostgresCluster
  private let guardian: RunningProcess
  private let lifeline = Lifeline()

  /// The program.
  private static let program = [
    "/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer",
  ]
  .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Why there is no pooler: nil if its program and PostgreSQL are installed.
  static let absence: String? =
    program == nil
    ? "PgBouncer is not installed: make setup-tests does it" : PostgresCluster.absence

  /// The URL of the server's database by the pooler.
  var url: String { cluster.url(folder) }

  /// Starts a pooler.
  ///
  /// - Parameters:
  ///   - cluster: the server.
  ///   - sessionCount: the most sessions of the server that it uses.
  init(_ mode: Mode, to cluster: PostgresCluster, sessionCount: Int = 20) async throws {
    guard let program = Self.program else { throw TrialFailure(Self.absence ?? "") }
    self.cluster = cluster
    // The path of a socket has at most about a hundred bytes.
    folder = "/tmp/varve-pooler-\(UUID().uuidString.prefix(13))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let settings = """
      [databases]
      varve = host=\(cluster.folder) dbname=varve user=varve
      [pgbouncer]
      listen_addr =
      listen_port = 5432
      unix_socket_dir = \(folder)
      auth_type = any
      pool_mode = \(mode.rawValue)
      default_pool_size = \(sessionCount)
      max_client_conn = 200
      """
    try Data(settings.utf8).write(to: URL(fileURLWithPath: "\(folder)/settings"))
    var user: [String] = []
    if getuid() == 0 {
      guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else {
        throw TrialFailure("there is no user under whom PgBouncer could run")
      }
      _ = chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
      user = [
        "setpriv", "--reuid=\(entry.pointee.pw_uid)", "--regid=\(entry.pointee.pw_gid)",
        "--clear-groups",
      ]
    }
    let script = """
      folder=$1; shift
      "$@" -q "$folder/settings" >"$folder/log" 2>&1 </dev/null &
      cat >/dev/null
      kill -9 $!
      wait $!
      rm -rf "$folder"
      """
    let arguments = ["-c", script, "sh", folder] + user + [program]
    guardian = try ChildProcess("/bin/sh", arguments, input: lifeline).start()
    while !FileManager.default.fileExists(atPath: "\(folder)/.s.PGSQL.5432") {
      guard guardian.isRunning else { throw TrialFailure("PgBouncer does not start") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
#endif
