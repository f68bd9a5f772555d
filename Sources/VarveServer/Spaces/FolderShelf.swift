#if Server
import Foundation
import VarveCore
import VarveStore

/// The spaces of a folder: each `*.varve` file in it is one.
struct FolderShelf: SpaceShelf {
  var folder: String? { path }
  private let path: String
  /// What opens the spaces that are sealed; nil if there is nothing that does.
  private let relay: (any SpaceSealing)?

  private static let suffix = ".varve"

  /// - Throws: `VarveError` with code `notFound` if there is no such folder.
  init(_ folder: String, relay: (any SpaceSealing)? = nil) throws {
    try Self.require(folder, remedy: "Name the folder whose *.varve files are to be served.")
    path = folder
    self.relay = relay
  }

  /// Throws unless a folder exists.
  static func require(_ folder: String, remedy: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
    else { throw VarveError(.notFound, "there is no such folder", at: folder, remedy: remedy) }
  }

  func names() throws -> [(name: SpaceName, id: SpaceID?)] {
    try FileManager.default.contentsOfDirectory(atPath: path).compactMap { file in
      file.hasSuffix(Self.suffix) ? SpaceName(String(file.dropLast(Self.suffix.count))) : nil
    }.sorted { $0.text < $1.text }.map { ($0, nil) }
  }

  func contains(_ name: SpaceName) -> Bool {
    guard FileManager.default.fileExists(atPath: filePath(of: name)) else { return false }
    // Where file names ignore case, one file must not be two spaces.
    guard let twin = name.inOtherCase, FileManager.default.fileExists(atPath: filePath(of: twin))
    else { return true }
    return (try? names().contains { $0.name == name }) ?? false
  }

  func create(_ name: SpaceName, _ configuration: Store.Configuration) async throws -> Bool {
    try await create(name, configuration) { _ in }
  }

  func createRelay(
    _ name: SpaceName,
    of space: SpaceID,
    _ configuration: Store.Configuration
  ) async throws -> Bool {
    guard let relay else { throw VarveError.keepsNoSealed(name) }
    var configuration = configuration
    configuration[SealingOption.self] = relay
    return try await create(name, configuration) { store in
      try await store.sharedLog().atDesk { desk in
        try desk.adopt(space)
        try desk.setKind(.relay)
      }
    }
  }

  /// Creates a space, and calls the body before anybody uses it.
  private func create(
    _ name: SpaceName,
    _ configuration: Store.Configuration,
    _ body: (Store) async throws -> Void
  ) async throws -> Bool {
    // A process that ends a space has removed all its files once it gives up the lock.
    try FolderLock.hold(path, toChange: "the spaces") {}
    return try await FolderLock.holdForCreating(in: path) {
      guard !contains(name) else { return false }
      try name.requireDifferent(from: names().map(\.name))
      var configuration = configuration
      configuration.createsIfMissing = true
      let store = try await Store.open(filePath(of: name), configuration: configuration)
      do {
        try await body(store)
        try await store.flush()
        try await store.close()
      } catch {
        try? await store.close()
        for file in StoreFileNames.all(of: filePath(of: name)) { unlink(file) }
        throw error
      }
      return true
    }
  }

  func open(_ name: SpaceName, _ configuration: Store.Configuration) async throws -> Store? {
    guard contains(name) else { return nil }
    var configuration = configuration
    configuration.createsIfMissing = false
    do {
      return try await Store.open(filePath(of: name), configuration: configuration)
    } catch let error as VarveError where error.saysSealingIsMissing && relay != nil {
      configuration[SealingOption.self] = relay
      return try await Store.open(filePath(of: name), configuration: configuration)
    }
  }

  func file(of name: SpaceName) -> SpaceFile? { SpaceFile(filePath(of: name), in: path) }

  func end(_ space: Space, _ receipt: SpaceReceipt) async throws -> SpaceReceipt {
    try FolderLock.hold(path, toChange: "the spaces") {
      // Another process may have ended it, and another space may have its name. While the store is
      // open, no other file can be taken for its own.
      try space.requirePresent()
      try SpaceReceipts(path).add(receipt)
      for file in StoreFileNames.all(of: filePath(of: space.name))
      where FileManager.default.fileExists(atPath: file) {
        try FileManager.default.removeItem(atPath: file)
      }
    }
    // No write is acknowledged once the file is gone, and the open store still has those before.
    var last = receipt
    if let end = try? await space.end() { last.commitCount = Int(end.position.number) }
    if last != receipt { try SpaceReceipts(path).add(last) }
    // Calls that are under way end with `closed`. SQLite leaves files alone that are another's by
    // now.
    try? await space.store.close()
    return last
  }

  func receipt(of name: SpaceName) throws -> SpaceReceipt? {
    try SpaceReceipts(path).newest(of: name)
  }

  private func filePath(of name: SpaceName) -> String { "\(path)/\(name.text)\(Self.suffix)" }
}
#endif
