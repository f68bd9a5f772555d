import VarveCore
package import VarveEntities

/// Suspends and resumes a store as its application leaves and comes back, each call after the one
/// before.
@MainActor
package final class PhaseFollower {
  private let store: Store
  private var last: Task<Void, Never>?

  package init(_ store: Store) { self.store = store }

  /// Suspends the store, and calls a closure when its file is released.
  package func leave(_ isReleased: @escaping @Sendable () -> Void = {}) {
    follow { store in
      // After `busy` the store is suspended too, and a closed one has no file.
      try? await store.suspend()
      isReleased()
    }
  }

  /// Resumes the store.
  package func comeBack() {
    // If the file was moved meanwhile, each call throws what this one would.
    follow { store in try? await store.resume() }
  }

  /// Waits for what has begun.
  package func settle() async { await last?.value }

  private func follow(_ body: @escaping @Sendable (Store) async -> Void) {
    last = Task { [last, store] in
      await last?.value
      await body(store)
    }
  }
}
