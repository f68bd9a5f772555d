import CVarveSQLite
import Foundation

/// A path in the form that the system takes. It is made once of a path that every commit asks for.
struct SystemPath: Sendable {
  private let characters: ContiguousArray<CChar>

  init(_ path: String) { characters = path.utf8CString }

  func withCharacters<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    // There is always the zero at the end.
    characters.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("a path ends with zero") }
      return body(start)
    }
  }
}

/// What tells a file from every other that is there at the same time: its device, and its number on
/// the device.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let number: UInt64

  /// Returns the identity of the file at a path, following links; nil if there is none.
  init?(_ path: String) { self.init(SystemPath(path)) }

  init?(_ path: SystemPath) {
    var status = stat()
    let isThere = path.withCharacters { stat($0, &status) == 0 }
    guard isThere else { return nil }
    self.init(status)
  }

  /// Returns the identity of an open file.
  init?(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The places of files that are locked to say that they are in use: bytes far beyond those that
  /// SQLite locks.
  static let places = Int64(1) << 40..<Int64(1) << 41

  /// The place that stands for this file in another.
  var place: Int64 {
    var mixed = number &+ device &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Self.places.lowerBound + Int64(mixed % UInt64(Self.places.count))
  }
}

/// An open file that is closed with this object.
final class OpenFile: Sendable {
  let descriptor: Int32
  let identity: FileIdentity

  /// Opens a file for reading; nil if that fails.
  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard let identity = FileIdentity(of: descriptor) else {
      close(descriptor)
      return nil
    }
    self.identity = identity
  }

  deinit { close(descriptor) }

  /// Locks the place of another file in this one. Others may lock it too.
  ///
  /// The lock belongs to the descriptor. It ends with it, and does not depend on the locks that
  /// SQLite has for the whole process.
  func lock(_ other: FileIdentity) { _ = varve_lock_place(descriptor, other.place, 1) }

  func unlock(_ other: FileIdentity) { _ = varve_lock_place(descriptor, other.place, 0) }

  /// Returns whether another descriptor, of any process, has locked the place of a file that is not
  /// this one.
  func isLocked(for anyBut: FileIdentity?) -> Bool {
    let places = FileIdentity.places
    var process: Int32 = 0
    guard let place = anyBut?.place else {
      return varve_is_locked(descriptor, places.lowerBound, Int64(places.count), &process) != 0
    }
    let after = place + 1
    return varve_is_locked(descriptor, places.lowerBound, place - places.lowerBound, &process) != 0
      || varve_is_locked(descriptor, after, places.upperBound - after, &process) != 0
  }

  /// Whether this process has a lock of SQLite on the file.
  ///
  /// Closing any descriptor of a file releases the locks that the process has on it.
  var isLockedHere: Bool {
    var process: Int32 = 0
    // The bytes that SQLite locks in every database, and in every index of a write-ahead log.
    for (start, count) in [(0x4000_0000, 512), (120, 9)] as [(Int64, Int64)]
    where varve_is_locked(descriptor, start, count, &process) != 0 && process == getpid() {
      return true
    }
    return false
  }

  /// Returns the first bytes, or all if there are fewer.
  func head(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(descriptor, buffer.baseAddress, count, 0))
    }
  }

  /// Whether the file has no name any more.
  var isRemoved: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink == 0
  }

  var byteCount: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }
}
