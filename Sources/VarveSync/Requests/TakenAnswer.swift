package import VarveCore

/// The outcome of handing commits to a space.
package struct TakenAnswer: Sendable, Hashable {
  /// The commits that are in the space now, and on its disk, new or not.
  package var durable: [CommitID] = []
  /// The first of the commits that cannot be added.
  package var parked: [Parked] = []
  /// The number of further commits that cannot be added.
  package var unnamedParkedCount = 0
  /// The missing commits that others depend on, which were not added.
  package var missing: [CommitID] = []

  /// The places before and after the commits, if no others arrived between them.
  package var from: SpacePosition?
  package var to: SpacePosition?

  package init() {}

  init(_ outcome: AppendOutcome) {
    durable = outcome.kept.map(\.id)
    parked = outcome.parked
    missing = outcome.leftOut
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.commitIDs(durable)
    writer.parked(parked)
    writer.commitIDs(missing)
    writer.text(from?.text ?? "")
    writer.text(to?.text ?? "")
    if unnamedParkedCount > 0 { writer.varint(unnamedParkedCount) }
    return writer.bytes
  }

  /// Decodes an answer.
  package init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      var answer = TakenAnswer()
      answer.durable = try reader.commitIDs()
      answer.parked = try reader.parked()
      answer.missing = try reader.commitIDs()
      answer.from = SpacePosition(try reader.text())
      answer.to = SpacePosition(try reader.text())
      if !reader.isAtEnd { answer.unnamedParkedCount = try reader.number() }
      guard reader.isAtEnd else { throw reader.damaged("bytes follow an answer") }
      return answer
    }
  }
}
