#if Server
import VarveCore
import VarveStore

/// Where the spaces of a server are: a folder of files, a home that several hosts share, or one
/// open store.
protocol SpaceShelf: Sendable {
  /// The folder for what belongs to this host; nil if there is none.
  var folder: String? { get }

  /// Returns the names of the spaces, in order, with their ids where they need not be opened for
  /// it.
  func names() async throws -> [(name: SpaceName, id: SpaceID?)]

  /// Returns whether there is a space with the name.
  func contains(_ name: SpaceName) async throws -> Bool

  /// Creates a space. Returns false if another has the name.
  func create(_ name: SpaceName, _ configuration: Store.Configuration) async throws -> Bool

  /// Creates a relay of a sealed space, as ``create(_:_:)`` does.
  ///
  /// - Throws: `unsupported` if this server keeps no sealed spaces.
  func createRelay(
    _ name: SpaceName,
    of space: SpaceID,
    _ configuration: Store.Configuration
  ) async throws -> Bool

  /// Opens a space that exists; nil if there is none.
  func open(_ name: SpaceName, _ configuration: Store.Configuration) async throws -> Store?

  /// Returns the file of a space; nil if there is none, or spaces are no files here.
  func file(of name: SpaceName) -> SpaceFile?

  /// Ends a space, whose store it closes, and keeps the receipt with the last number of commits.
  ///
  /// - Returns: the kept receipt.
  func end(_ space: Space, _ receipt: SpaceReceipt) async throws -> SpaceReceipt

  /// Returns the receipt of the space that had a name last; nil if none had it.
  func receipt(of name: SpaceName) async throws -> SpaceReceipt?
}

extension SpaceShelf {
  func file(of name: SpaceName) -> SpaceFile? { nil }

  func createRelay(
    _ name: SpaceName,
    of space: SpaceID,
    _ configuration: Store.Configuration
  ) async throws -> Bool {
    throw VarveError(
      .unsupported,
      VarveError.keepsNoSealedMessage,
      at: "space \(name.text)",
      remedy: "Make the relay at a varve serve with a folder of spaces, or with a home."
    )
  }
}

extension VarveError {
  fileprivate static let keepsNoSealedMessage = "this server keeps no sealed spaces"

  /// The error of a server whose configuration has no seal.
  static func keepsNoSealed(_ name: SpaceName) -> VarveError {
    VarveError(
      .unsupported,
      keepsNoSealedMessage,
      at: "space \(name.text)",
      remedy: "Give the configuration of its SpaceDirectory the seal .relay(), as varve serve does."
    )
  }
}
#endif
