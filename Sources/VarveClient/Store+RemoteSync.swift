#if Client || canImport(Darwin)
import VarveCore
public import VarveStore
public import VarveSync

extension Store {
  /// Synchronises once with a space of a server, in both directions.
  ///
  /// The first synchronisation binds this store to the space under its address. If another space
  /// has that address later, nothing is sent. An interrupted synchronisation can be repeated: what
  /// arrived is kept, and what the server acknowledged is on its disk.
  ///
  /// - Parameters:
  ///   - space: the space.
  ///   - progress: called after each part.
  /// - Returns: the report of this side.
  /// - Throws: `VarveError`: `inputOutput` if the server cannot be reached, `unauthorized`,
  ///   `forbidden`, `notFound` if there is no such space or another has its address, `busy`, and as
  ///   `sync(with:presentFirst:progress:)`.
  @discardableResult
  public func sync(
    with space: RemoteSpace,
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SyncReport {
    do {
      return try await exchange(with: space, progress: progress).report
    } catch let refusal as ServerRefusal {
      throw refusal.error
    }
  }

  /// Synchronises once, from where both sides were equal if that is known. A token that the server
  /// does not know is replaced once.
  func exchange(
    with space: RemoteSpace,
    after meeting: SpaceMeeting? = nil,
    progress: @Sendable (SyncProgress) -> Void = { _ in }
  ) async throws -> SpaceExchange.Outcome {
    let log = try sharedLog()
    var isRetried = false
    while true {
      var transport = try await space.exchangeTransport()
      transport.isSealed = log.sealing != nil
      var exchange = SpaceExchange(log, transport, at: space.url)
      do {
        return try await exchange.run(after: meeting, progress: progress)
      } catch let refusal as ServerRefusal where refusal.status == 401 && !isRetried {
        isRetried = true
      }
    }
  }
}
#endif
