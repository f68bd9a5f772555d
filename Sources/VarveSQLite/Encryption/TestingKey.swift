#if SQLCipher && DEBUG
import Foundation
import VarveCore

/// The key that all stores in files have in a run of the tests: see `make test-cipher`. A release build
/// has none of this.
enum TestingKey {
  private static let key = ProcessInfo.processInfo.environment["VARVE_TEST_KEY"].flatMap {
    try? StoreKey(text: $0)
  }

  /// Returns the key for a store that is opened without one; nil for one that is there and plain.
  static func key(for path: String) -> StoreKey? {
    guard let key else { return nil }
    let isThere = FileManager.default.fileExists(atPath: path)
    return isThere && !StoreFile.seemsEncrypted(path) ? nil : key
  }
}
#endif
