import VarveEntities

/// Gives a context a turn on its actor after other writers made changes.
///
/// `@unchecked Sendable`: its references never change, and the context, which is not `Sendable`, is
/// only accessed in a turn on its actor.
final class ObjectWatcher: @unchecked Sendable {
  private weak var objects: Objects?
  private weak var owner: (any Actor)?

  init(_ objects: Objects, on owner: any Actor) {
    self.objects = objects
    self.owner = owner
  }

  /// Waits for changes until the context or its actor is deallocated. It retains neither.
  func start(_ channel: ChangeChannel) -> Task<Void, Never> {
    Task.detached { [self] in
      while await channel.waitForChange() {
        guard let owner, await turn(on: owner) else { return }
      }
    }
  }

  private func turn(on owner: isolated any Actor) async -> Bool {
    guard let objects else { return false }
    // Objects that cannot be read now are read again before they are returned.
    try? await objects.takeOverChanges()
    return true
  }
}
