#if Server
import VarveCore
import VarveStore

/// One space: a store that its owner opened, and closes.
struct LentShelf: SpaceShelf {
  let name: SpaceName
  let store: Store

  var folder: String? { nil }

  static var isNoFolder: VarveError {
    VarveError(
      .invalidArgument,
      "this server has no folder of spaces",
      remedy: "Start varve serve with a folder."
    )
  }

  func names() -> [(name: SpaceName, id: SpaceID?)] { [(name, nil)] }

  func contains(_ name: SpaceName) -> Bool { name == self.name }

  func create(_ name: SpaceName, _ configuration: Store.Configuration) throws -> Bool {
    guard contains(name) else { throw Self.isNoFolder }
    return false
  }

  func open(_ name: SpaceName, _ configuration: Store.Configuration) -> Store? {
    contains(name) ? store : nil
  }

  func end(_ space: Space, _ receipt: SpaceReceipt) throws -> SpaceReceipt {
    throw Self.isNoFolder
  }

  func receipt(of name: SpaceName) -> SpaceReceipt? { nil }
}
#endif
