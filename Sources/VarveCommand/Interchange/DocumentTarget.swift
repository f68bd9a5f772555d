import Foundation
import VarveCore

/// Where a document goes: an ordinary file, which appears when it is whole, in place of what stood
/// there before; or straight into a pipe, a device, or what is open already.
struct DocumentTarget {
  private enum Kind: Equatable {
    /// The name of an ordinary file, no link.
    case file(String)
    case stream
    case descriptor(Int32)
  }

  /// As it was named.
  private let name: String
  private let kind: Kind

  static let standardOutput = DocumentTarget("standard output", .descriptor(STDOUT_FILENO))

  private init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// What a path leads to. Nothing is opened or made.
  init(_ path: String) throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw VarveError(
        .invalidArgument,
        "no file can have that name",
        at: path.isEmpty ? nil : path
      )
    }
    if let descriptor = Self.descriptor(path) {
      self.init(path, .descriptor(descriptor))
    } else if let status = FileStatus(path) {
      guard !status.isFolder else {
        throw VarveError(
          .invalidArgument,
          "a folder stands there",
          at: path,
          remedy: "Name a file in it."
        )
      }
      let file = try Links.followed(path)
      if let descriptor = Self.descriptor(file) {
        self.init(path, .descriptor(descriptor))
      } else {
        let isFile = status.isRegular && FileIdentity(file) == status.identity
        self.init(path, isFile ? .file(file) : .stream)
      }
    } else {
      self.init(path, .file(try Links.followed(path)))
    }
  }

  var isStandardOutput: Bool { kind == .descriptor(STDOUT_FILENO) }

  /// `/dev/stdout` and its like: the file may be any, and is written on where it stands.
  private static func descriptor(_ path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default: break
    }
    for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
      return Int32(path.dropFirst(folder.count))
    }
    return nil
  }

  /// Writes a document with a closure that is given what takes its bytes. What fails leaves an
  /// ordinary file as it was.
  func write<Result>(
    _ body: (@escaping ([UInt8]) throws -> Void) async throws -> Result
  ) async throws -> Result {
    switch kind {
    case .file(let path):
      return try await FileReplacement.write(path, named: name, body)
    case .descriptor(let descriptor):
      return try await body { [name] in try Output.bytes($0, to: descriptor, at: name) }
    case .stream:
      let descriptor = open(name, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Output.failure("the document", at: name) }
      defer { close(descriptor) }
      return try await body { [name] in try Output.bytes($0, to: descriptor, at: name) }
    }
  }

  /// Throws where the document would be written over a store, or a file that belongs to it.
  func refuse(overwriting store: String) throws {
    let file = try Links.followed(store)
    for suffix in ["", "-wal", "-shm", "-checkpoint", "-journal"] where isSame(as: file + suffix) {
      throw VarveError(
        .invalidArgument,
        suffix.isEmpty
          ? "the document would overwrite the store it is of"
          : "the document would take the place of a file that belongs to the store",
        at: name,
        remedy: "Name another file."
      )
    }
  }

  /// Whether it is that file, or would be if there were one.
  private func isSame(as file: String) -> Bool {
    switch kind {
    case .descriptor(let descriptor):
      return FileIdentity(file).map { $0 == FileStatus(descriptor)?.identity } ?? false
    case .stream: return FileIdentity(file).map { $0 == FileIdentity(name) } ?? false
    case .file(let path):
      if let own = FileIdentity(path) { return own == FileIdentity(file) }
      return Links.lastName(path) == Links.lastName(file)
        && FileIdentity(Links.folder(path)) == FileIdentity(Links.folder(file))
    }
  }
}

/// Names of files, and where they lead.
enum Links {
  private static let deepest = 40

  /// The path at the end of a chain of links, whether there is a file or not.
  static func followed(_ path: String) throws -> String {
    var path = path
    for _ in 0..<deepest {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return path
      }
      path = link.hasPrefix("/") ? link : folder(path) + "/" + link
    }
    throw VarveError(.inputOutput, "the links lead in a circle", at: path)
  }

  /// The folder a path is in.
  static func folder(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What follows the last slash.
  static func lastName(_ path: String) -> Substring {
    path.utf8.lastIndex(of: 0x2F).map { path[path.utf8.index(after: $0)...] } ?? path[...]
  }
}
