/// An index whose log is kept at a home. Only such an index can lack what its log has.
package protocol HomeFollower: Sendable {
  /// Applies the arrivals that the index lacks, as far as the home has them now. Waits for no turn.
  ///
  /// - Returns: the position of the index.
  /// - Throws: ``VarveError``: `inputOutput` if the home cannot be reached, `closed`.
  @discardableResult
  func applyArrivals() async throws -> HomePosition?

  /// Applies the arrivals up to a position that another host has seen.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument` if the home never had the position.
  func applyArrivals(atLeast position: HomePosition) async throws

  /// Makes the index of a relay that moves to its file a log of its own, which has no home from now on.
  /// Nobody else may write at the home meanwhile, and the index is closed afterwards.
  ///
  /// - Parameter position: the last position of the home.
  /// - Throws: ``VarveError`` with code `busy` if the index is not there.
  func leaveHome(at position: HomePosition) async throws

  /// The position up to which the index has followed its home; nil if it never did.
  func indexPosition() async throws -> HomePosition?
}
