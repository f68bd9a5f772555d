import Foundation
import VarveCore

/// What the process says: a line at a time, at once.
enum Report {
  /// Writes a line.
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// Says that a commit was acknowledged.
  static func acknowledge(_ id: CommitID) {
    line("commit \(id.replica.text) \(id.sequence) \(id.hash.hexadecimal)")
  }
}
