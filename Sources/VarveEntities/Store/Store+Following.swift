package import VarveCore

extension Store {
  /// Makes everything visible that other hosts of this store's home have written so far. Does
  /// nothing if the store has its log itself.
  ///
  /// ```swift
  /// try await store.followHome()
  /// let hat = try await store.entity("hat-1")  // as any host has written it before
  /// ```
  ///
  /// - Throws: ``VarveError``: `inputOutput` if the home cannot be reached, `closed`.
  /// - Complexity: O(what the index lacks).
  public func followHome() async throws { try await backend.follower?.applyArrivals() }

  /// Makes the index of a relay that moves to its file a log of its own, which has no home from now on.
  /// Nobody else may write at the home meanwhile, and the store is closed afterwards.
  ///
  /// - Parameter position: the last position of the home.
  /// - Throws: ``VarveError`` with code `busy` if the index is not there.
  package func leaveHome(at position: HomePosition) async throws {
    try await backend.follower?.leaveHome(at: position)
  }

  /// The position up to which this store has followed its home; nil if it has its log itself.
  ///
  /// Another host that has caught up to it sees everything that this store sees.
  ///
  /// - Throws: ``VarveError`` with code `closed`.
  public func position() async throws -> Position? {
    try await backend.follower?.indexPosition().map(Position.init)
  }

  /// Makes visible what a store of another host saw at a position of its own. Does nothing if the
  /// store has its log itself.
  ///
  /// - Throws: ``VarveError``: `invalidArgument` if the home never had the position, because it was
  ///   restored or went back; `inputOutput` if the home cannot be reached; `closed`.
  /// - Complexity: O(what the index lacks).
  public func followHome(atLeast position: Position) async throws {
    guard let follower = backend.follower,
      try await follower.indexPosition() != position.position
    else { return }
    try await follower.applyArrivals(atLeast: position.position)
  }

  /// A place in the order of a home's arrivals, to be given to another host as a text.
  public struct Position: Hashable, Sendable, LosslessStringConvertible {
    fileprivate let position: HomePosition

    fileprivate init(_ position: HomePosition) { self.position = position }

    /// Creates a position from its text; nil if the text is anything else.
    public init?(_ description: String) {
      let parts = description.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 3, let number = Int64(parts[0]), number >= 0,
        let incarnation = UInt64(parts[1], radix: 16), let running = UInt64(parts[2], radix: 16)
      else { return nil }
      position = HomePosition(
        incarnation: Int64(bitPattern: incarnation),
        number: number,
        running: Int64(bitPattern: running)
      )
    }

    /// The number of arrivals, the copy of the log, and a hash over the arrivals.
    public var description: String {
      let incarnation = String(UInt64(bitPattern: position.incarnation), radix: 16)
      let running = String(UInt64(bitPattern: position.running), radix: 16)
      return "\(position.number)-\(incarnation)-\(running)"
    }
  }
}
