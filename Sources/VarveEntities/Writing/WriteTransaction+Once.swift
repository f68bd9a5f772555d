import VarveCore

extension WriteTransaction {
  /// Runs a part of a transaction once in the life of a store and of all its replicas. See
  /// ``Store/once(_:author:message:_:)``. If the closure throws, nothing of the part is written.
  @discardableResult
  public func once<Result>(
    _ name: String,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result? {
    let id = try Store.mark(of: name)
    guard try await status(of: id) == .unknown else { return nil }
    return try await attempt {
      // Before the closure, so that the same write inside it does not run.
      try await create("varve.once", id: id, ["name": .string(name)])
      return try await body(self)
    }
  }
}
