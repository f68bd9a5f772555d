public import Foundation
import VarveCore

/// Where the bytes of a document come from, a part at a time.
///
/// ```swift
/// let source = try DocumentSource(file: "hats.json")
/// let report = try await store.load(source, author: "sam")
/// ```
public struct DocumentSource {
  /// How many bytes are read at a time.
  static let partByteCount = 256 << 10

  /// How many bytes there are, where that is known.
  public let byteCount: Int?
  private let read: () throws -> [UInt8]

  /// Bytes that a closure gives, part after part; an empty part is the end.
  public init(byteCount: Int? = nil, _ read: @escaping () throws -> [UInt8]) {
    self.byteCount = byteCount
    self.read = read
  }

  /// Bytes in memory.
  public init(bytes: [UInt8]) {
    var rest = bytes[...]
    self.init(byteCount: bytes.count) {
      defer { rest = rest.dropFirst(Self.partByteCount) }
      return Array(rest.prefix(Self.partByteCount))
    }
  }

  /// A text in memory.
  public init(text: String) { self.init(bytes: Array(text.utf8)) }

  /// What a file, a pipe or a terminal gives. The caller closes the handle.
  public init(_ handle: FileHandle, byteCount: Int? = nil) {
    self.init(byteCount: byteCount) { try Self.part(of: handle) }
  }

  /// The content of a file.
  ///
  /// - Throws: ``VarveError``: `notFound` where there is none, `inputOutput` where it may not be
  ///   read.
  public init(file path: String) throws {
    let handle = try Self.handle(readingFile: path)
    let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
    self.init(handle, byteCount: size == 0 ? nil : size)
  }

  /// A file, opened for reading.
  ///
  /// - Throws: as ``init(file:)``.
  package static func handle(readingFile path: String) throws -> FileHandle {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno != ENOENT, errno != ENOTDIR else {
        throw VarveError(.notFound, "there is no such file to read", at: path)
      }
      throw VarveError(
        .inputOutput,
        "the file may not be read: \(String(cString: strerror(errno)))",
        at: path,
        remedy: "Check its permissions."
      )
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// The next part; empty at the end.
  func next() throws -> [UInt8] { try read() }

  /// The next bytes a file or a pipe gives; none at the end.
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
