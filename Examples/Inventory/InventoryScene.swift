#if canImport(SwiftUI)
import Foundation
package import SwiftUI
package import Varve
package import VarveClient

/// The windows of the application: the store's file is released while they are in the background,
/// and what a synchronisation sends and fetches meanwhile is carried by the system.
package struct InventoryScene: Scene {
  private let store: Store
  private let transfers: BackgroundTransfers

  package init(_ store: Store, _ transfers: BackgroundTransfers) {
    self.store = store
    self.transfers = transfers
  }

  /// Synchronises the store, also while the process is suspended.
  package static func sync(_ store: Store, token: String) async throws {
    // snippet: Sources/VarveStore/VarveStore.docc/SharingAFile.md
    let transfers = BackgroundTransfers("org.example.inventory.sync")
    let space = RemoteSpace("https://example.org/inventory", token: token)
    try await store.sync(with: space.carried(by: transfers))
    // end
  }

  package var body: some Scene {
    // snippet: Sources/VarveStore/VarveStore.docc/SharingAFile.md
    WindowGroup { InventoryView(store, author: "ana") }
      .suspending(store)
      .backgroundTask(.urlSession(transfers.identifier)) {
        try? await store.resume()
        await transfers.finishEvents()
        try? await store.suspend()
      }
    // end
  }
}
#endif
