import Synchronization
import VarveCore

/// The hooks that run before entities die, shared by the store and its transactions.
final class ErasureHooks: Sendable {
  private struct State {
    var next = 0
    var hooks: [(number: Int, hook: ErasureHook)] = []
  }

  private let state = Mutex(State())

  /// All hooks, in the order of their registration.
  var all: [ErasureHook] { state.withLock { $0.hooks.map(\.hook) } }

  var isEmpty: Bool { state.withLock { $0.hooks.isEmpty } }

  func add(_ hook: @escaping ErasureHook) -> Int {
    state.withLock { state in
      state.next += 1
      state.hooks.append((state.next, hook))
      return state.next
    }
  }

  func remove(_ number: Int) {
    state.withLock { $0.hooks.removeAll { $0.number == number } }
  }
}

extension CommitWriter {
  /// Runs the hooks for every entity that will die, owners first, before anything is erased.
  func announceErasure(of roots: [EntityID]) async throws {
    let hooks = hooks.all
    guard !hooks.isEmpty else { return }
    let dying = try await commit.depthFirst(
      from: roots,
      among: commit.dying(with: roots)
    )
    try await Snapshot.with(commit, rules) { snapshot in
      for id in dying {
        guard let entity = try await snapshot.entity(id) else { continue }
        for hook in hooks { try await hook(entity, snapshot) }
      }
    }
  }
}
