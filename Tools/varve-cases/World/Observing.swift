import VarveCore
import VarveJSON
import VarveStore

/// Logs of what transactions change.
extension World {
  /// Logs the change sets of a store from now on.
  func observe(_ log: String, _ storeName: String) async throws {
    openLog(log)
    try await observations.append((storeName, log, store(storeName).changes()))
  }

  /// Goes on observing a store that was opened again.
  func observeAgain(_ store: Store, _ name: String) async throws {
    writeObservations()
    for index in observations.indices where observations[index].store == name {
      observations[index].changes = try await store.changes()
    }
  }

  /// Writes the changes that observers received to their logs. A write has published its changes
  /// when it returns.
  func writeObservations() {
    for (_, name, changes) in observations {
      while let change = changes.poll() { log(change.json, to: name) }
    }
  }
}

extension ChangeSet {
  fileprivate var json: JSON {
    [
      "action": .string(Self.names[action] ?? action.rawValue), "added": Self.list(added),
      "deleted": Self.list(erased),
      "changed": Self.list(changed), "keys": .array(keys.map { .string($0.text) }),
    ]
  }

  /// The names of actions that the cases call otherwise.
  private static let names: [ChangeAction: String] = [.erase: "delete", .findOrCreate: "get"]

  private static func list(_ ids: [EntityID]) -> JSON { .array(ids.map { .string($0.text) }) }
}
