import Foundation
import VarveCore

/// A file that gets its name once it is complete. Until then it has another name in the same
/// folder.
struct UnpublishedFile {
  /// The name that the file will have.
  let path: String
  /// The name that the file has until then.
  let partial: String

  private let permissions: mode_t?

  /// Creates an empty file.
  ///
  /// - Parameters:
  ///   - path: the name that the file will have.
  ///   - permissions: the permissions that it will have; nil for those of any new file.
  /// - Throws: ``VarveError``: `invalidArgument` if there is a file of the name, or a log that
  ///   SQLite would read as the file's, or if the name is that of a log; `inputOutput`, `readOnly`,
  ///   `diskFull`.
  init(_ path: String, permissions: mode_t?) throws {
    try StoreFile.examineName(path)
    try NewFileName.examine(path, at: path)
    try StoreFile.examineFolder(of: path)
    for name in [path, path + "-wal", path + "-journal"] where FileNaming.isThere(name) {
      throw Self.taken(name)
    }
    try CompanionFile.requireOwn(beside: path, at: path)
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    self.path = path
    self.permissions = permissions
    partial = folder + "/.varve-\(UUID().uuidString).partial"
    let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure("the file cannot be created", path) }
    // What others may not read in the store, they may not read here.
    if let permissions { fchmod(descriptor, permissions | 0o600) }
    close(descriptor)
  }

  /// Gives the file its name, unless another file has it by now, and makes both durable.
  func publish() throws {
    let isReady = permissions.map { chmod(partial, $0) == 0 } ?? true
    guard isReady, Self.synchronize(partial) else {
      throw Self.failure("the file cannot be written", path)
    }
    switch FileNaming.name(partial, as: path) {
    case .named: break
    case .taken: throw Self.taken(path)
    case .failed(let number):
      throw VarveError.system(number, "the file cannot be named", at: path)
    }
    _ = Self.synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  /// Removes the file, and what SQLite keeps beside it.
  func discard() {
    for file in StoreFileNames.all(of: partial) { unlink(file) }
  }

  /// Returns the permissions of a file; nil if there is none.
  static func permissions(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private static func synchronize(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return FileFlush.flush(descriptor)
  }

  private static func taken(_ path: String) -> VarveError {
    VarveError(
      .invalidArgument,
      "the file exists",
      at: path,
      remedy: "Remove it, or name another file."
    )
  }

  private static func failure(_ what: String, _ path: String) -> VarveError {
    .system(errno, what, at: path)
  }
}
