import Foundation
import VarveCore

/// Prints the output of the process line by line, without buffering.
enum Report {
  /// Writes a line.
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// Prints that a commit was acknowledged.
  static func acknowledge(_ id: CommitID) {
    line("commit \(id.replica.text) \(id.sequence) \(id.hash.hexadecimal)")
  }
}
