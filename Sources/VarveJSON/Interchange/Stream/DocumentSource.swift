public import Foundation
import VarveCore

/// The source of a document's bytes, which are read in parts.
///
/// ```swift
/// let source = try DocumentSource(file: "hats.json")
/// let report = try await store.load(source, author: "sam")
/// ```
public struct DocumentSource {
  /// The format of a document.
  public enum Format: String, Hashable, Sendable, CaseIterable {
    /// One JSON value.
    case json
    /// JSON Lines, also called NDJSON: a JSON value in each line. It is read as the array of these
    /// values; empty lines are skipped.
    case jsonLines
  }

  /// The number of bytes read at a time.
  static let partByteCount = 256 << 10

  /// The format. Interchange documents are always ``Format/json``.
  public var format = Format.json

  /// The total number of bytes, if known.
  public let byteCount: Int?
  private let read: () throws -> [UInt8]

  /// Creates a source from a closure that returns parts in order; an empty part is the end.
  public init(byteCount: Int? = nil, _ read: @escaping () throws -> [UInt8]) {
    self.byteCount = byteCount
    self.read = read
  }

  /// Creates a source from bytes in memory.
  public init(bytes: [UInt8]) {
    var rest = bytes[...]
    self.init(byteCount: bytes.count) {
      defer { rest = rest.dropFirst(Self.partByteCount) }
      return Array(rest.prefix(Self.partByteCount))
    }
  }

  /// Creates a source from a text in memory.
  public init(text: String) { self.init(bytes: Array(text.utf8)) }

  /// Creates a source that reads a file, a pipe or a terminal. The caller closes the handle.
  public init(_ handle: FileHandle, byteCount: Int? = nil) {
    self.init(byteCount: byteCount) { try Self.part(of: handle) }
  }

  /// Creates a source that reads a file; of JSON Lines if its name ends in `.jsonl` or `.ndjson`.
  ///
  /// - Throws: `VarveError`: `notFound` if there is no file, `inputOutput` if it cannot be read.
  public init(file path: String) throws {
    let handle = try Self.handle(readingFile: path)
    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
    self.init(handle, byteCount: size == 0 ? nil : size)
    let name = path.lowercased()
    if name.hasSuffix(".jsonl") || name.hasSuffix(".ndjson") { format = .jsonLines }
  }

  /// Opens a file for reading.
  ///
  /// - Throws: as ``init(file:)``.
  package static func handle(readingFile path: String) throws -> FileHandle {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT, errno != ENOTDIR else {
        throw VarveError(
          .notFound,
          "there is no such file to read",
          at: path,
          remedy: "Check the path of the file."
        )
      }
      throw VarveError(
        .inputOutput,
        "the file cannot be read: \(String(cString: strerror(errno)))",
        at: path,
        remedy: "Check its permissions."
      )
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Returns the next part; empty at the end.
  func next() throws -> [UInt8] { try read() }

  /// Returns the next bytes of a file or a pipe; empty at the end.
  private static func part(of handle: FileHandle) throws -> [UInt8] {
    var count = 0
    let part = [UInt8](unsafeUninitializedCapacity: partByteCount) { buffer, filled in
      repeat {
        count = Foundation.read(handle.fileDescriptor, buffer.baseAddress, buffer.count)
      } while count < 0 && errno == EINTR
      filled = max(0, count)
    }
    guard count >= 0 else {
      throw VarveError(
        .inputOutput,
        "the document cannot be read: \(String(cString: strerror(errno)))",
        remedy: "Name a file that holds a document."
      )
    }
    return part
  }
}
