import Foundation

/// Runs this program again, for measurements that need a process of their own: the peak memory of
/// several measurements in one process has no meaning.
enum ProbeProcess {
  /// Runs the program with arguments, and prints its output, indented.
  ///
  /// - Throws: if the process fails.
  static func show(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let lines = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    for line in String(decoding: lines, as: UTF8.self).split(separator: "\n") {
      Report.show("  " + line)
    }
    guard process.terminationStatus == 0 else {
      throw RawError(description: "the process of \(arguments.joined(separator: " ")) failed")
    }
  }
}
