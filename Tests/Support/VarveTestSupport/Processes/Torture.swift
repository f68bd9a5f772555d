import Foundation
package import VarveCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process that uses a store while the tests do.
package final class Torture {
  private let process = Process()
  private let scratch: Scratch
  private let output: String

  /// Starts `varve-torture`.
  package convenience init(_ arguments: String...) throws { try self.init(arguments) }

  private init(_ arguments: [String]) throws {
    scratch = try Scratch()
    output = scratch.path("output")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    process.executableURL = Self.executable
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    try process.run()
  }

  /// Runs a process to its end and returns its output.
  package static func run(_ arguments: String...) async throws -> [String] {
    let process = try Torture(arguments)
    try await process.end()
    return process.lines
  }

  package var isRunning: Bool { process.isRunning }

  /// How it ended.
  package var status: Int32 { process.terminationStatus }

  /// The complete lines of its output so far.
  package var lines: [String] {
    let text = String(
      decoding: FileManager.default.contents(atPath: output) ?? Data(),
      as: UTF8.self
    )
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// The commits that it printed as acknowledged.
  package var acknowledged: [CommitName] { lines.compactMap(CommitName.init) }

  /// Waits until it has printed a number of lines, or ended.
  package func said(_ count: Int) async throws {
    while lines.count < count, isRunning { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// Waits until it ends.
  package func end() async throws {
    while isRunning { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// Kills it without warning, and waits until it is gone.
  package func kill() async throws {
    _ = signal(process.processIdentifier, SIGKILL)
    try await end()
  }

  private func signal(_ process: pid_t, _ number: Int32) -> Int32 {
    #if canImport(Glibc)
    Glibc.kill(process, number)
    #else
    Darwin.kill(process, number)
    #endif
  }

  /// The executable, which is beside the bundle of the tests.
  private static let executable: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return beside.deletingLastPathComponent().appendingPathComponent("varve-torture").absoluteURL
  }()
}

/// A commit as a process prints it.
package struct CommitName: Hashable, CustomStringConvertible {
  package let description: String

  package init?(_ line: String) {
    guard line.hasPrefix("commit ") else { return nil }
    description = line
  }

  package init(_ id: CommitID) {
    description = "commit \(id.replica.text) \(id.sequence) \(id.hash.hexadecimal)"
  }
}
