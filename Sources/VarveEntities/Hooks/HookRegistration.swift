public import VarveCore

/// A hook that runs before an entity dies, with the whole graph still readable.
public typealias ErasureHook = @Sendable (StoredEntity, any Reading) async throws -> Void

/// The registration of a hook; ``cancel()`` ends it.
public struct HookRegistration: Sendable {
  private let hooks: ErasureHooks
  private let number: Int

  init(_ hooks: ErasureHooks, _ number: Int) {
    self.hooks = hooks
    self.number = number
  }

  /// Removes the hook. Cancelling again has no effect.
  public func cancel() { hooks.remove(number) }
}

extension Store {
  /// Registers a hook for every entity that dies by an erasure through this store (R18).
  ///
  /// The hook runs once per entity: depth first from the entities erased by name, in the order
  /// given, owned entities in the order they were declared, each when first reached. It runs before
  /// anything is erased, so it can read the whole graph. Use it to clean up external resources of
  /// an entity, such as files. If a hook throws, the whole erasure is vetoed and throws that error.
  ///
  /// ```swift
  /// let registration = store.willErase { entity, state in
  ///   if let file = entity["file"]?.stringValue { try FileManager.default.removeItem(atPath: file) }
  /// }
  /// ```
  ///
  /// An erasure that arrives by a merge runs no hooks, because it cannot be vetoed here.
  ///
  /// - Parameter hook: receives the entity and the state to read from. It must not use the store or
  ///   the transaction that erases, which are busy. It may run for an erasure that is rolled back
  ///   later.
  /// - Returns: the registration; the hook stays until it is cancelled or the store is deallocated.
  @discardableResult
  public func willErase(_ hook: @escaping ErasureHook) -> HookRegistration {
    HookRegistration(hooks, hooks.add(hook))
  }
}
