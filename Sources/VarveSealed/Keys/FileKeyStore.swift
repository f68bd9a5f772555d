import Foundation
package import VarveCore

/// Secrets as files that only their owner can read, in a folder that only its owner can enter.
///
/// Files are found through a descriptor of the folder, so nobody can exchange the folder meanwhile.
package struct FileKeyStore: KeyStore {
  private let folder: String

  /// - Parameter folder: the folder, which is made with the first secret.
  package init(folder: String) { self.folder = folder }

  package func secret(named name: KeyName) throws -> Secret? {
    guard let folder = try openFolder() else { return nil }
    defer { close(folder) }
    let file = openat(folder, fileName(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("a secret cannot be opened", name)
    }
    defer { close(file) }
    let size = try verifyPrivate(file, S_IFREG, path(name))
    return try KeyFile.secret(of: try read(file, size, name), at: path(name))
  }

  package func keep(_ secret: Secret, named name: KeyName) throws {
    try place(secret, named: name) { folder, partial in
      guard renameat(folder, partial, folder, fileName(name)) == 0 else {
        throw failure("a secret cannot be replaced", name)
      }
    }
  }

  package func make(_ secret: Secret, named name: KeyName) throws -> Bool {
    var isMade = true
    try place(secret, named: name) { folder, partial in
      isMade = linkat(folder, partial, folder, fileName(name), 0) == 0
      guard isMade || errno == EEXIST else { throw failure("a secret cannot be made", name) }
      unlinkat(folder, partial, 0)
    }
    return isMade
  }

  /// Writes a secret under a temporary name, and calls a closure that gives it its own.
  private func place(
    _ secret: Secret,
    named name: KeyName,
    _ giveName: (_ folder: Int32, _ partial: String) throws -> Void
  ) throws {
    guard secret.count <= SealedLimits.secretByteCount else {
      throw VarveError(.valueTooLarge, "a secret is too large", at: path(name))
    }
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw VarveError.system(errno, "the folder of secrets cannot be made", at: folder)
    }
    guard let folder = try openFolder() else {
      throw VarveError.system(ENOENT, "the folder of secrets is gone", at: folder)
    }
    defer { close(folder) }
    let partial = ".\(fileName(name)).\(UUID().uuidString)"
    do {
      try write(KeyFile.contents(of: secret), to: partial, in: folder, name)
      try giveName(folder, partial)
    } catch {
      unlinkat(folder, partial, 0)
      throw error
    }
    guard FileFlush.flush(folder) else { throw failure("a secret cannot be flushed", name) }
  }

  package func removeSecret(named name: KeyName) throws {
    guard let folder = try openFolder() else { return }
    defer { close(folder) }
    guard unlinkat(folder, fileName(name), 0) == 0 || errno == ENOENT else {
      throw failure("a secret cannot be removed", name)
    }
    guard FileFlush.flush(folder) else { throw failure("a removal cannot be flushed", name) }
  }
}

extension FileKeyStore {
  private func fileName(_ name: KeyName) -> String { "\(name).varve-key" }

  private func path(_ name: KeyName) -> String { "\(folder)/\(fileName(name))" }

  private func failure(_ what: String, _ name: KeyName) -> VarveError {
    let number = errno
    guard number != ELOOP else {
      return VarveError(
        .inputOutput,
        "\(what): it is a symbolic link",
        at: path(name),
        remedy: "Replace the link by the file."
      )
    }
    return .system(number, what, at: path(name))
  }

  /// Opens the folder and verifies that nobody else can enter it; nil if it is not there.
  private func openFolder() throws -> Int32? {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      let number = errno
      if number == ENOENT { return nil }
      guard number != ELOOP, number != ENOTDIR else {
        throw VarveError(
          .inputOutput,
          "the folder of secrets is a file or a symbolic link",
          at: folder,
          remedy: "Name the folder itself."
        )
      }
      throw VarveError.system(number, "the folder of secrets cannot be opened", at: folder)
    }
    do {
      _ = try verifyPrivate(descriptor, S_IFDIR, folder)
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Verifies that a file or folder is this user's alone; its size.
  private func verifyPrivate(_ descriptor: Int32, _ kind: mode_t, _ path: String) throws -> Int {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw VarveError.system(errno, "its status cannot be read", at: path)
    }
    let isFolder = kind == S_IFDIR
    guard status.st_mode & S_IFMT == kind else {
      throw VarveError(
        .inputOutput,
        "it is no ordinary \(isFolder ? "folder" : "file")",
        at: path,
        remedy: "Remove it."
      )
    }
    guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw VarveError(
        .inputOutput,
        "secrets are stored where other users can reach them",
        at: path,
        remedy: "Make it yours alone: chmod \(isFolder ? "700" : "600"). If others could read it, "
          + "remove this device from its spaces and add it anew."
      )
    }
    return Int(status.st_size)
  }

  private func read(_ file: Int32, _ size: Int, _ name: KeyName) throws -> Secret {
    guard size <= KeyFile.byteCountLimit else {
      throw StrictReading.damaged("a key file", "it is too large", at: path(name))
    }
    return try Secret(count: size) { buffer in
      var count = 0
      while count < size {
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let got = Foundation.read(file, part.baseAddress, part.count)
        if got < 0, errno == EINTR { continue }
        guard got >= 0 else { throw failure("a secret cannot be read", name) }
        guard got > 0 else {
          throw StrictReading.damaged("a key file", "it became shorter", at: path(name))
        }
        count += got
      }
    }
  }

  private func write(
    _ contents: Secret,
    to partial: String,
    in folder: Int32,
    _ name: KeyName
  ) throws {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let file = openat(folder, partial, flags, mode_t(0o600))
    guard file >= 0 else { throw failure("a secret cannot be written", name) }
    defer { close(file) }
    try contents.withUnsafeBytes { bytes in
      var count = 0
      while count < bytes.count {
        let part = UnsafeRawBufferPointer(rebasing: bytes[count...])
        let put = Foundation.write(file, part.baseAddress, part.count)
        if put < 0, errno == EINTR { continue }
        guard put > 0 else { throw failure("a secret cannot be written", name) }
        count += put
      }
    }
    guard FileFlush.flush(file) else { throw failure("a secret cannot be flushed", name) }
  }
}
