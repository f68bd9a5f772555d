import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveSync
import VarveTestSupport

/// Synchronises two logs over a pair of channels; each side's report.
func synchronize(
  _ left: any CommitLog,
  _ right: any CommitLog,
  limits: SyncLimits = SyncLimits()
) async throws -> (left: SyncReport, right: SyncReport) {
  let (here, there) = InProcessChannel.pair()
  async let theirs = Peer(right, there, limits: limits).run()
  let ours = try await Peer(left, here, limits: limits).run()
  return (ours, try await theirs)
}

/// Expects two backends to have the same commits and the same contents.
func expectEqual(
  _ left: any Backend,
  _ right: any Backend,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let heads = (try await left.frontier(), try await right.frontier())
  #expect(heads.0 == heads.1, sourceLocation: sourceLocation)
  let exports = (try await CanonicalExport(of: left), try await CanonicalExport(of: right))
  #expect(exports.0.firstDifference(from: exports.1) == nil, sourceLocation: sourceLocation)
}

extension Backend {
  /// Writes one commit of operations.
  @discardableResult
  func write(_ operations: [VarveTestSupport.Operation]) async throws -> CommitID? {
    let (_, receipt) = try await write(WriteRequest()) { writer in
      for operation in operations { try await operation.apply(to: writer) }
    }
    return receipt?.commit.id
  }

  /// Writes one commit of one creation.
  @discardableResult
  func create(_ id: EntityID, _ values: [PropertyKey: Value] = [:]) async throws -> CommitID? {
    let assignments = values.sorted { $0.key < $1.key }.map { Assignment($0.key, $0.value) }
    return try await write([.create(Creation(id, "Hat", assignments))])
  }
}

/// Random bytes, which do not compress.
func noise(_ count: Int, seed: UInt64 = 1) -> Data {
  var random = SplitMix64(seed: seed)
  return (0..<count / 8 + 1).map { _ in random.next() }.withUnsafeBytes { Data($0.prefix(count)) }
}
