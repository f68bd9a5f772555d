import CVarveSQLite
import Foundation

/// A note attached to a store's file or to its write-ahead log: which of the other it was used with.
///
/// It outlives the process, so that a log that a killed process left is not taken for that of a file
/// which got its name later, and a file is not read without the log that it was left with. A note
/// names the file that it is attached to, because copies may take notes along. Where the file system
/// keeps no notes, there is none.
struct FileNote: Equatable {
  /// What the note says of a file: its number, and when it was made, because numbers are reused.
  struct Subject: Equatable {
    let number: UInt64
    let birth: Int64

    init(_ file: OpenFile) {
      number = file.identity.number
      birth = varve_birth(file.descriptor)
    }

    fileprivate init?(_ words: ArraySlice<Substring>) {
      guard words.count == 2, let number = UInt64(words.first ?? ""),
        let birth = Int64(words.last ?? "")
      else { return nil }
      (self.number, self.birth) = (number, birth)
    }
  }

  /// The file that the note is attached to.
  let own: Subject
  /// The other file.
  let other: Subject
  /// Where the other file was.
  let path: String

  private static let capacity = 4_096

  init(on file: OpenFile, about other: OpenFile, at path: String) {
    own = Subject(file)
    self.other = Subject(other)
    self.path = path
  }

  /// Reads the note of a file; nil if it has none, or one that a copy took along.
  init?(on file: OpenFile) {
    let bytes = [UInt8](unsafeUninitializedCapacity: Self.capacity) { buffer, count in
      count = max(0, Int(varve_read_note(file.descriptor, buffer.baseAddress, Int32(buffer.count))))
    }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ", maxSplits: 4)
    guard words.count == 5, let own = Subject(words[0..<2]), let other = Subject(words[2..<4]),
      own == Subject(file)
    else { return nil }
    (self.own, self.other, path) = (own, other, String(words[4]))
  }

  /// Attaches the note to the file, unless it has it. That the file system refuses it is no error.
  func attach(to file: OpenFile) {
    guard FileNote(on: file) != self else { return }
    let text = "\(own.number) \(own.birth) \(other.number) \(other.birth) \(path)"
    var bytes = Array(text.utf8)
    guard bytes.count <= Self.capacity else { return }
    _ = varve_write_note(file.descriptor, &bytes, Int32(bytes.count))
  }
}
