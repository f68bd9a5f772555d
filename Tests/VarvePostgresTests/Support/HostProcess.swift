#if CommandLine && Server
import Foundation
import VarveTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process of `varve serve` for the spaces of a home.
///
/// It ends when this process ends, in whatever way: a shell waits for the end of its standard
/// input.
final class HostProcess: Sendable {
  /// A reply to a request.
  struct Reply {
    let status: Int
    let headers: [String: String]
    let text: String
  }

  /// The address, such as `http://127.0.0.1:8642`.
  let address: String
  /// The folder of its indexes.
  let cache: String
  private let scratch: Scratch
  private let server: RunningProcess
  private let guardian: RunningProcess
  private let lifeline = Lifeline()

  /// Starts a host.
  ///
  /// - Parameters:
  ///   - cache: the folder of an earlier host's indexes; nil for a new one.
  ///   - folder: the folder that it serves instead of a home's spaces; nil for a home.
  init(
    _ home: String? = nil,
    cache: String? = nil,
    folder: String? = nil,
    _ options: [String] = ["--open"],
    environment: [String: String] = [:]
  ) async throws {
    var settings: [String: String] = [:]
    if folder == nil {
      if let home {
        settings["VARVE_HOME"] = home
      } else {
        settings["VARVE_HOME"] = try await PostgresCluster.url()
      }
    }
    scratch = try Scratch()
    self.cache = cache ?? scratch.path("indexes")
    let output = scratch.path("output")
    server = try ChildProcess(
      Self.executable,
      ["serve", "--port", "0", "--log-level", "error"]
        + (folder.map { [$0] } ?? ["--cache", self.cache]) + options,
      environment: ProcessInfo.processInfo.environment
        .merging(settings) { $1 }.merging(environment) { $1 },
      output: output,
      errors: output + ".errors"
    ).start()
    guardian = try ChildProcess(
      "/bin/sh",
      ["-c", "read -r end; kill -9 $0", "\(server.number)"],
      input: lifeline
    ).start()
    let mark = "listening on "
    while true {
      let lines = Self.text(output).split(separator: "\n")
      if let line = lines.first(where: { $0.hasPrefix(mark) }) {
        address = String(line.dropFirst(mark.count))
        return
      }
      let errors = Self.text(output + ".errors")
      guard !errors.contains("error:"), server.isRunning else {
        throw TrialFailure("the host did not start: \(errors)")
      }
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  private static func text(_ file: String) -> String {
    String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
  }

  /// Sends a signal.
  func signal(_ signal: Int32) { server.signal(signal) }

  /// Kills it without warning, and waits until it is gone.
  func end() async throws {
    guardian.signal(SIGKILL)
    server.signal(SIGKILL)
    try await server.wait()
    try await guardian.wait()
  }

  // MARK: Requests

  /// Sends a request.
  func send(
    _ method: String,
    _ path: String,
    _ body: String? = nil,
    headers: [String: String] = [:]
  ) async throws -> Reply {
    var arguments = ["curl", "-s", "-i", "-m", "60", "-X", method, "\(address)\(path)"]
    if let body { arguments += ["-H", "Content-Type: application/json", "--data-binary", body] }
    for (name, value) in headers { arguments += ["-H", "\(name): \(value)"] }
    let output = try await Self.output(of: arguments)
    let parts = output.replacing("\r\n", with: "\n").split(
      separator: "\n\n",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    let lines = parts.first?.split(separator: "\n") ?? []
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw TrialFailure("no reply to \(method) \(path)") }
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let field = line.split(separator: ":", maxSplits: 1)
      fields[field[0].lowercased()] = field.last?.trimmingCharacters(in: .whitespaces)
    }
    return Reply(status: status, headers: fields, text: parts.count > 1 ? String(parts[1]) : "")
  }

  /// Reads.
  func get(_ path: String, at position: String? = nil) async throws -> Reply {
    try await send("GET", path, headers: position.map { ["Varve-Position": $0] } ?? [:])
  }

  /// Runs an operation on a space.
  @discardableResult
  func run(
    _ operation: String,
    in space: String,
    headers: [String: String] = [:]
  ) async throws -> Reply {
    try await send("POST", "/v1/spaces/\(space)/operations", operation, headers: headers)
  }

  /// Runs the program, and returns what it prints.
  static func varve(_ arguments: String...) async throws -> String {
    try await output(of: [executable] + arguments)
  }

  /// Runs a program to its end, and returns what it prints.
  static func output(of arguments: [String]) async throws -> String {
    let scratch = try Scratch()
    let (output, errors) = (scratch.path("output"), scratch.path("errors"))
    _ = try await ChildProcess("/usr/bin/env", arguments, output: output, errors: errors).run()
    return text(output) + text(errors)
  }

  /// The program, which is beside the bundle of the tests.
  static let executable: String = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return beside.deletingLastPathComponent().appendingPathComponent("varve").absoluteURL.path
  }()
}
#endif
