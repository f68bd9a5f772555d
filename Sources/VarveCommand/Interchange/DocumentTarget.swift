#if CommandLine
import Foundation
import VarveCore

/// The destination of a document: an ordinary file, which is replaced once the document is
/// complete, or a pipe, a device or an open descriptor, which is written directly.
struct DocumentTarget {
  private enum Kind: Equatable {
    /// The path of an ordinary file, with links resolved.
    case file(String)
    case stream
    case descriptor(Int32)
  }

  /// The name as given.
  private let name: String
  private let kind: Kind

  static let standardOutput = DocumentTarget("standard output", .descriptor(STDOUT_FILENO))

  private init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// Determines the kind of a path. Opens and creates nothing.
  init(_ path: String) throws {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw VarveError(
        .invalidArgument,
        "a file cannot have that name",
        at: path.isEmpty ? nil : path
      )
    }
    if let descriptor = Self.descriptor(path) {
      self.init(path, .descriptor(descriptor))
    } else if let status = FileStatus(path) {
      guard !status.isFolder else {
        throw VarveError(
          .invalidArgument,
          "the path is a folder",
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

  /// Returns the descriptor of `/dev/stdout` and similar paths, whose file is written at its
  /// present position.
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

  /// Writes a document with a closure that receives a function for its bytes. A failure leaves an
  /// ordinary file unchanged.
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

  /// Throws if the document would overwrite a store, or a file that belongs to one or would be taken for
  /// one.
  func refuse(overwriting store: String) throws {
    let file = try Links.followed(store)
    for suffix in [""] + StoreFileNames.companions where isSame(as: file + suffix) {
      throw VarveError(
        .invalidArgument,
        suffix.isEmpty
          ? "the document would overwrite its own store"
          : "the document would replace a file that belongs to the store",
        at: name,
        remedy: "Name another file."
      )
    }
    try refuseCompanionName()
  }

  /// Throws if the name is that of a file which SQLite keeps beside another file that is there. SQLite
  /// would remove the document if that file is a database.
  private func refuseCompanionName() throws {
    guard case .file(let path) = kind, let suffix = StoreFileNames.companionSuffix(of: path),
      FileStatus(String(path.dropLast(suffix.count))) != nil
    else { return }
    try StoreFileNames.requireOwnName(path, at: name)
  }

  /// Returns whether this is the given file, or would be if it existed.
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

/// Paths of files, and the targets of links.
enum Links {
  private static let deepest = 40

  /// Returns the path at the end of a chain of links, whether or not a file exists there.
  static func followed(_ path: String) throws -> String {
    var path = path
    for _ in 0..<deepest {
      guard let link = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return path
      }
      path = link.hasPrefix("/") ? link : folder(path) + "/" + link
    }
    throw VarveError(.inputOutput, "the links form a cycle", at: path)
  }

  /// Returns the folder of a path.
  static func folder(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Returns the part after the last slash.
  static func lastName(_ path: String) -> Substring {
    path.utf8.lastIndex(of: 0x2F).map { path[path.utf8.index(after: $0)...] } ?? path[...]
  }
}
#endif
