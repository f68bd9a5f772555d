extension HomeHead {
  /// Checks that a store is opened as what the home has: an open space, or a relay of a sealed one.
  ///
  /// - Parameter sealing: the store's seal; nil if it has none.
  /// - Throws: ``VarveError``: `newerFormat` if this build does not know the space's format, or the space is
  ///   sealed and the store has no seal; `unsupported` if the store has another seal than it needs.
  package func require(_ sealing: (any SpaceSealing)?, of space: SpaceID) throws {
    try requireKnownFormat()
    switch (isSealed, sealing) {
    case (false, nil): return
    case (true, nil): throw VarveError.sealingIsMissing.located(at: "space \(space)")
    case (_, let sealing?) where sealing.hasKeys:
      throw VarveError.notInSealedSpace("a member's store at a home that several hosts share")
    case (true, _): return
    case (false, _):
      throw VarveError(
        .unsupported,
        "the space is an open one, and the store was opened as a relay",
        at: "space \(space)",
        remedy: "Open it without a seal. For a relay: varve space create URL --relay STORE."
      )
    }
  }
}
