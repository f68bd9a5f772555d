#if CommandLine && Server
import Foundation
import VarvePostgres
import VarveTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A PostgreSQL server of the tests: a cluster in a temporary folder, reached by a Unix socket.
///
/// It runs as an ordinary user, because PostgreSQL refuses to run as root, and ends when this
/// process ends, in whatever way: a shell waits for the end of its standard input.
final class PostgresCluster: Sendable {
  /// The folder of the cluster and of its socket.
  let folder: String
  private let guardian: RunningProcess
  private let lifeline = Lifeline()

  /// Why there is no server: nil if its programs are installed.
  static let absence: String? =
    binaries == nil ? "PostgreSQL is not installed: make setup installs it" : nil

  /// The server that the tests share.
  static let shared = Task { try await PostgresCluster() }

  /// The URL of the database that the tests share, which is a home.
  static func url() async throws -> String {
    let cluster = try await shared.value
    return cluster.url
  }

  /// The same, for connections that the server lists under a name.
  static func url(application: String) async throws -> String {
    "\(try await url())&application_name=\(application)"
  }

  /// The folder of the server's programs.
  private static let binaries: String? = {
    let installed =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let versions = installed.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
    let candidates =
      versions.map { "/usr/lib/postgresql/\($0)/bin" }
      + ["/opt/homebrew/opt/postgresql/bin", "/usr/local/bin", "/usr/bin"]
    return candidates.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()

  /// A part of a server's data that is on a small disk of its own.
  enum SmallDisk: String, CaseIterable {
    /// The folder ``tablespace``.
    case tablespace
    /// Everything, the write-ahead log included.
    case data
  }

  /// Why there are no small disks: nil if this process may mount them.
  static let diskAbsence: String? = {
    guard getuid() == 0, binaries != nil else { return "only root mounts disks" }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return "\(error)" }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : "no disk can be mounted here"
  }()

  /// The folder of a tablespace on the small disk.
  var tablespace: String { "\(folder)/tablespace" }

  var url: String { url(folder) }

  /// The URL of the database by the socket in a folder.
  func url(_ folder: String) -> String {
    "postgres://varve@/varve?host=\(folder.replacing("/", with: "%2F"))"
  }

  /// Starts a server.
  ///
  /// - Parameter disk: what is on a disk of 64 MB, which no other process sees and which ends with
  ///   the server.
  init(_ settings: [String] = [], disk: SmallDisk? = nil) async throws {
    guard let binaries = Self.binaries else { throw TrialFailure(Self.absence ?? "") }
    // The path of a socket has at most about a hundred bytes.
    folder = "/tmp/varve-postgres-\(UUID().uuidString.prefix(13))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var user: [String] = []
    if getuid() == 0 {
      guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else {
        throw TrialFailure("there is no user under whom PostgreSQL could run")
      }
      _ = chown(folder, entry.pointee.pw_uid, entry.pointee.pw_gid)
      user = [
        "setpriv", "--reuid=\(entry.pointee.pw_uid)", "--regid=\(entry.pointee.pw_gid)",
        "--clear-groups",
      ]
    }
    let options = ["fsync=off", "max_connections=300", "listen_addresses="] + settings
    let script = """
      cd "$1" && folder=$1 && binaries=$2 && options=$3 && disk=$4 && shift 4 || exit 1
      if [ -n "$disk" ]; then
        mkdir "$disk" && mount -t tmpfs -o size=64m,mode=700 tmpfs "$disk" || exit 1
        chown --reference="$folder" "$disk"
      fi
      "$@" "$binaries/initdb" -D "$folder/data" -U varve -A trust -E UTF8 --locale=C -N \
        ${disk:+--wal-segsize=1} >"$folder/initdb.log" 2>&1 || exit 1
      serve() {
        "$@" "$binaries/postgres" -D "$folder/data" -k "$folder" $options >>"$folder/log" 2>&1 &
        server=$!
      }
      serve "$@"
      until "$binaries/pg_isready" -q -h "$folder" -U varve -d postgres; do
        kill -0 $server 2>/dev/null || exit 1
        sleep 0.05
      done
      "$@" "$binaries/createdb" -h "$folder" -U varve varve && touch "$folder/ready"
      while read -r word; do
        case $word in
          stop) kill -QUIT $server; wait $server; touch "$folder/stopped" ;;
          start) rm "$folder/stopped"; serve "$@" ;;
          grow) mount -o remount,size=256m "$disk"; touch "$folder/grown" ;;
        esac
      done
      kill -QUIT $server
      wait $server
      [ -z "$disk" ] || umount "$disk"
      rm -rf "$folder"
      """
    guardian = try ChildProcess(
      "/usr/bin/env",
      (disk == nil ? [] : ["unshare", "-m"]) + ["sh", "-c", script, "sh", folder, binaries]
        + [options.map { "-c \($0)" }.joined(separator: " "), disk?.rawValue ?? ""] + user,
      input: lifeline
    ).start()
    while !FileManager.default.fileExists(atPath: "\(folder)/ready") {
      guard guardian.isRunning else {
        let log = FileManager.default.contents(atPath: "\(folder)/initdb.log") ?? Data()
        throw TrialFailure("PostgreSQL does not start: \(String(decoding: log, as: UTF8.self))")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    try await PostgresHome.prepare(url)
  }

  /// Ends the server without warning, as if its machine failed.
  func stop() async throws {
    try lifeline.write("stop\n")
    while !isStopped { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// Starts the server again after ``stop()``.
  func start() async throws {
    try lifeline.write("start\n")
    while isStopped { try await Task.sleep(for: .milliseconds(5)) }
  }

  /// Gives the small disk more space.
  func grow() async throws {
    try lifeline.write("grow\n")
    while !FileManager.default.fileExists(atPath: "\(folder)/grown") {
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  private var isStopped: Bool { FileManager.default.fileExists(atPath: "\(folder)/stopped") }
}
#endif
