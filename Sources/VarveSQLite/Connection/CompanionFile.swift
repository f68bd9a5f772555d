import Foundation
import VarveCore

/// A file that SQLite takes for its own, because its name is that of a database with a suffix.
///
/// SQLite changes and removes such a file whatever it is, even where it only reads the database.
package struct CompanionFile {
  private let path: String
  private let suffix: String

  /// The bytes with which every SQLite database begins.
  private static let databaseHeader = Array("SQLite format 3\0".utf8)
  /// The size of the parts by which the index of a write-ahead log grows. While it is made, it has
  /// 3 bytes.
  private static let indexPartByteCount = 32_768 as Int64

  /// Throws if a file beside a database is not what SQLite would take it for.
  ///
  /// - Parameters:
  ///   - path: the path of the database.
  ///   - place: the path as shown to users.
  /// - Throws: ``VarveError`` with code `inputOutput`.
  package static func requireOwn(beside path: String, at place: String) throws {
    try FileUses.shared.whileUnused(StoreFile.resolved(path)) {
      try requireOwn(beside: $0, at: place, $1)
    }
  }

  /// - Parameter reader: reads the beginning of a file.
  static func requireOwn(
    beside path: String,
    at place: String,
    _ reader: FileUses.HeadReader
  ) throws {
    for suffix in StoreFileNames.companions {
      try CompanionFile(path: path + suffix, suffix: suffix).requireOwn(place, reader)
    }
  }

  private func requireOwn(_ place: String, _ reader: FileUses.HeadReader) throws {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
      let head = reader(path, Self.databaseHeader.count)
    else { return }
    let size = Int64(status.st_size)
    if suffix == "-shm", size != 3, size % Self.indexPartByteCount != 0 { throw error(head, place) }
    guard !head.allSatisfy({ $0 == 0 }) else { return }
    let isOwn = marks.contains { mark in zip(head, mark).allSatisfy { $0 == $1 } }
    guard isOwn else { throw error(head, place) }
  }

  /// The bytes with which SQLite begins a file of the suffix, unless it begins with zeros.
  private var marks: [[UInt8]] {
    switch suffix {
    case "-wal": [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]]
    // Its version, 3007000, in the order of the processor that wrote it.
    case "-shm": [[0x18, 0xE2, 0x2D, 0x00], [0x00, 0x2D, 0xE2, 0x18]]
    default: [[0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]]
    }
  }

  private var description: String {
    switch suffix {
    case "-wal": "write-ahead log"
    case "-shm": "index of the write-ahead log"
    default: "rollback journal"
    }
  }

  private func error(_ head: [UInt8], _ place: String) -> VarveError {
    let isDatabase = head == Self.databaseHeader
    let shown = FileIdentity(place + suffix) == FileIdentity(path) ? place + suffix : path
    return VarveError(
      .inputOutput,
      (isDatabase ? "the file is a database" : "SQLite did not write the file")
        + ", but its name is that of the \(description) of \(place), which SQLite changes and removes",
      at: shown,
      remedy: isDatabase
        ? "Rename it first, with the files beside it whose names begin with its own."
        : "Rename it first, or remove it if nobody needs it."
    )
  }
}
