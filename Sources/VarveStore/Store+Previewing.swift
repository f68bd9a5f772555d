public import VarveEntities

extension Store {
  /// Creates a store in memory with sample data, at once: for previews of views, and for tests that
  /// are not asynchronous.
  ///
  /// ```swift
  /// let store = Store.preview { try await $0.create("Hat", ["color": "red"]) }
  /// ```
  ///
  /// The call waits until the closure has returned. A closure that needs the main actor would wait
  /// forever for a caller on the main actor. An error traps, because it is a mistake in the sample
  /// data.
  ///
  /// - Parameters:
  ///   - configuration: the options of the store.
  ///   - fill: writes the sample data.
  public static func preview(
    configuration: Configuration = Configuration(),
    _ fill: @escaping @Sendable (Store) async throws -> Void = { _ in }
  ) -> Store {
    let made = BlockingCall.result(within: nil) { () -> Result<Store, any Error> in
      do {
        let store = try await Store.open(.inMemory, configuration: configuration)
        try await fill(store)
        return .success(store)
      } catch {
        return .failure(error)
      }
    }
    switch made {
    case .success(let store)?: return store
    case .failure(let error)?: preconditionFailure("the sample data cannot be stored: \(error)")
    case nil: preconditionFailure("a call without a limit of time has a result")
    }
  }
}
