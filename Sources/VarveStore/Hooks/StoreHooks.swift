public import VarveCore

/// Told of an entity that is about to die, with the whole graph as it still is.
public typealias ErasureHook = @Sendable (Entity, any Reading) async throws -> Void

/// A hook that was registered; ``remove()`` ends it.
public struct HookRegistration: Sendable {
  private let hooks: ErasureHooks
  private let number: Int

  init(_ hooks: ErasureHooks, _ number: Int) {
    self.hooks = hooks
    self.number = number
  }

  /// Ends the hook. Doing so again changes nothing.
  public func remove() { hooks.remove(number) }
}

extension Store {
  /// Asks to be told of every entity that dies from an erase through this store (R18).
  ///
  /// The hook runs once per entity: depth first from those erased by name, in the order given, what
  /// they own in the order it was declared, each when first reached. It runs before anything is
  /// removed, so it can read the whole graph. It is the place to clean up what belongs to an entity
  /// elsewhere, such as files. A hook that throws vetoes the whole erase, which throws that error.
  ///
  /// ```swift
  /// let registration = store.willErase { entity, state in
  ///   if let file = entity["file"]?.stringValue { try FileManager.default.removeItem(atPath: file) }
  /// }
  /// ```
  ///
  /// A merge that brings an erasure runs no hooks: nobody here can refuse it.
  ///
  /// - Parameter hook: given the entity, and the state to read from. It must not use the store or
  ///   the transaction that erases, which are busy with it. It may run for an erase that is rolled
  ///   back later.
  /// - Returns: the registration; the hook stays until it is removed or the store goes away.
  @discardableResult
  public func willErase(_ hook: @escaping ErasureHook) -> HookRegistration {
    HookRegistration(hooks, hooks.add(hook))
  }
}
