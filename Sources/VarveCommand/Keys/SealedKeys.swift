#if CommandLine
import Foundation
import Synchronization
import VarveCore
import VarveSealed
import VarveStore

/// The keys of this device for sealed spaces, which are in a folder outside of every store.
enum SealedKeys {
  /// With which keys a store is opened, if its space is sealed.
  enum Use {
    /// Those of the folder that the arguments, the environment or the user's settings name.
    case usual
    /// Those of another folder.
    case other(folder: String)
    /// Those of a seal, also if the store belongs to no space yet.
    case always(SpaceSeal)
  }

  private static let named = Mutex<String?>(nil)

  /// The folder that the arguments name.
  static var folder: String? {
    get { named.withLock { $0 } }
    set { named.withLock { $0 = newValue } }
  }

  /// Returns the seal of this device. Its keys are made if there are none.
  static func makeSeal() throws -> SpaceSeal {
    let folder = try place()
    let parent = URL(fileURLWithPath: folder).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(
        at: parent,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw VarveError(
        .inputOutput,
        "the folder for the keys cannot be made",
        at: parent.path,
        remedy: "Name another folder by --keys or VARVE_KEYS."
      )
    }
    return try .member(with: .folder(folder))
  }

  /// Opens a store. If its space is sealed, it is opened with the keys, or as the relay that it is.
  static func open(
    _ location: Store.Location,
    _ configuration: Store.Configuration,
    _ use: Use
  ) async throws -> Store {
    var configuration = configuration
    if case .always(let seal) = use {
      configuration.seal = seal
      return try await Store.open(location, configuration: configuration)
    }
    do {
      return try await Store.open(location, configuration: configuration)
    } catch let error as VarveError where error.saysSealingIsMissing {
      return try await openSealed(location, configuration, use, at: error.place)
    }
  }

  private static func openSealed(
    _ location: Store.Location,
    _ configuration: Store.Configuration,
    _ use: Use,
    at path: String?
  ) async throws -> Store {
    var configuration = configuration
    configuration.seal = try .relay()
    do {
      return try await Store.open(location, configuration: configuration)
    } catch let error as VarveError where error.saysStoreIsMember {
      configuration.seal = try seal(use, of: path)
      return try await Store.open(location, configuration: configuration)
    }
  }

  private static let missingKeys = "the space of the store is sealed, and the folder"

  /// Whether an error is about a member's store whose keys are not there.
  static func saysKeysAreMissing(_ error: VarveError) -> Bool {
    error.code == .keyMissing && error.message.hasPrefix(missingKeys)
  }

  /// Returns the seal of a device whose keys are there.
  private static func seal(_ use: Use, of path: String?) throws -> SpaceSeal {
    let folder = if case .other(let folder) = use { folder } else { try place() }
    let keys = DeviceKeys.folder(folder)
    guard try keys.haveDevice() else {
      throw VarveError(
        .keyMissing,
        "\(missingKeys) \(folder.logged) has no keys",
        at: path,
        remedy: "Name the folder of this device's keys by --keys or VARVE_KEYS."
      )
    }
    return try .member(with: keys)
  }

  /// Returns the folder: that of the arguments, of the environment, or of this user.
  private static func place() throws -> String {
    if let folder { return folder }
    guard let folder = ProcessInfo.processInfo.environment["VARVE_KEYS"] else { return userFolder }
    guard !folder.isEmpty else {
      throw VarveError(
        .invalidArgument,
        "VARVE_KEYS is empty",
        at: "VARVE_KEYS",
        remedy: "Set it to the folder of the keys, or unset it."
      )
    }
    return folder
  }

  private static var userFolder: String {
    let home = FileManager.default.homeDirectoryForCurrentUser.path
    #if canImport(Darwin)
    return "\(home)/Library/Application Support/varve/keys"
    #else
    // Others than absolute paths are to be ignored, as the specification of these folders says.
    let settings = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? ""
    return (settings.hasPrefix("/") ? settings : "\(home)/.config") + "/varve/keys"
    #endif
  }
}
#endif
