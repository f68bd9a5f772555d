import Foundation

/// Runs this program once more, for what must be measured in a process of its own: the peak of memory
/// of one with others says nothing.
enum ProbeProcess {
  /// Runs the program with arguments, and shows what it prints, indented.
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
  }
}
