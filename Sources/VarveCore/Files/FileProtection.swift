import Foundation

/// When the system lets processes read the files of a store, by the classes of Data Protection of
/// Apple's systems. Elsewhere it has no effect.
///
/// The class of each file is set when a store opens it. A process that has a file open when the class
/// forbids it gets errors of the system, `inputOutput`, until the device is unlocked.
public enum FileProtection: Hashable, Sendable, CaseIterable {
  /// Only while the device is unlocked.
  case complete
  /// Files that were opened while the device was unlocked stay open; others cannot be opened.
  case completeUnlessOpen
  /// From the first time that the device is unlocked after it was started.
  case completeUntilFirstUserAuthentication
  /// Always.
  case none
}

extension FileProtection {
  /// Protects a store's file, and those beside it that exist.
  ///
  /// - Throws: ``VarveError`` with code `inputOutput`.
  package func protect(_ path: String) throws {
    #if canImport(Darwin)
    for file in [path, path + "-wal", path + "-shm"]
    where FileManager.default.fileExists(atPath: file) {
      do {
        try FileManager.default.setAttributes([.protectionKey: type], ofItemAtPath: file)
      } catch {
        throw VarveError(
          .inputOutput,
          "the file's class of Data Protection cannot be set: \(error.localizedDescription)",
          at: file,
          remedy: "Try again while the device is unlocked."
        )
      }
    }
    #endif
  }

  #if canImport(Darwin)
  private var type: FileProtectionType {
    switch self {
    case .complete: .complete
    case .completeUnlessOpen: .completeUnlessOpen
    case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
    case .none: .none
    }
  }
  #endif
}
