import VarveCore
import VarveSync

/// A log with a fault planted in what a space or its client asks of it.
struct FaultedSpaceLog: CommitLogDecorator {
  let base: any CommitLog
  private let fault: SpaceFault?

  init(_ log: any CommitLog, _ fault: SpaceFault?) {
    base = log
    self.fault = fault
  }

  func held(among ids: [CommitID]) async throws -> Set<CommitID> {
    guard fault == .hashesIgnored else { return try await base.held(among: ids) }
    let heads = try await base.frontier().heads
    return Set(
      ids.filter { id in
        heads.contains { $0.replica == id.replica && $0.sequence >= id.sequence }
      }
    )
  }

  func arrivals(
    after position: HomePosition,
    atMost byteCount: Int,
    wholeUpTo wholeByteCount: Int
  ) async throws -> (items: [LogItem], next: HomePosition)? {
    var position = position
    if fault == .hintsTrusted { position = try await own(position.number) }
    let found = try await base.arrivals(
      after: position,
      atMost: byteCount,
      wholeUpTo: wholeByteCount
    )
    guard fault == .arrivalsSkipped, let found, found.items.count > 1 else { return found }
    return (found.items.dropLast(), found.next)
  }

  /// Returns the position of a number, or the last.
  private func own(_ number: Int64) async throws -> HomePosition {
    var position = HomePosition(incarnation: try await base.end().incarnation)
    while position.number < number,
      let part = try await base.arrivals(after: position, atMost: 1, wholeUpTo: .max),
      !part.items.isEmpty
    {
      position = part.next
    }
    return position
  }

  func boundSpace(at address: String) async throws -> SpaceID? {
    fault == .bindingsForgotten ? nil : try await base.boundSpace(at: address)
  }

  func bind(_ space: SpaceID, at address: String, isAdmin: Bool?) async throws {
    guard fault != .bindingsForgotten else { return }
    try await base.bind(space, at: address, isAdmin: isAdmin)
  }
}
