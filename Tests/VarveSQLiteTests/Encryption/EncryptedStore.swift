import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

/// Opens stores in files with keys.
enum EncryptedStore {
  /// Opens a store, which is created if it is missing.
  static func open(
    _ path: String,
    _ key: StoreKey?,
    _ change: (inout Store.Configuration) -> Void = { _ in }
  ) async throws -> Store {
    var configuration = Store.Configuration()
    configuration.key = key
    change(&configuration)
    return try await Store.open(path, configuration: configuration)
  }

  /// Creates a store with one hat, and closes it.
  static func make(_ path: String, _ key: StoreKey?) async throws {
    let store = try await open(path, key)
    try await store.create("Hat", id: "hat-1", ["color": "red"])
    try await store.close()
  }

  /// The colour of the hat in a store.
  static func color(_ path: String, _ key: StoreKey?) async throws -> Value? {
    let store = try await open(path, key) { $0.createsIfMissing = false }
    let color = try await store.entity("hat-1")?["color"]
    try await store.close()
    return color
  }
}

/// The files of a folder, also those that a process keeps open without a name.
enum LeftBytes {
  /// The names of the files in a folder whose bytes contain a text.
  static func files(in folder: String, containing text: String) throws -> [String] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: folder).filter { name in
      let bytes = manager.contents(atPath: folder + "/" + name) ?? Data()
      return bytes.range(of: Data(text.utf8)) != nil
    }
  }

  /// The number of files in a folder.
  static func count(in folder: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: folder).count
  }
}
