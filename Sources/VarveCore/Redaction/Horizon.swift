/// A time, and the commits stamped up to it: where history was compacted, which makes earlier
/// states unreadable for good, or up to where commits arrive as outlines, until they are complete.
public struct Horizon: Hashable, Sendable {
  /// The latest time of the cells. Past states by time begin after it.
  public let time: HybridTime
  /// The commits of the cells. Past states by commits include all of these.
  public let frontier: Frontier

  package init(time: HybridTime, frontier: Frontier) {
    self.time = time
    self.frontier = frontier
  }

  /// The number of the header field that contains a horizon.
  static let fieldNumber: UInt64 = 2

  /// The horizon as a field of a commit's header: 8 bytes of time, varint count, CommitIDs.
  package var field: CommitHeader.Extension {
    var writer = ByteWriter(capacity: 16 + 64 * frontier.heads.count)
    writer.fixed(UInt64(bitPattern: time.rawValue))
    writer.varint(frontier.heads.count)
    for head in frontier.heads { writer.commitID(head) }
    return CommitHeader.Extension(number: Self.fieldNumber, bytes: writer.bytes)
  }

  package init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      let time = HybridTime(rawValue: Int64(bitPattern: try reader.fixed()))
      var heads: [CommitID] = []
      for _ in 0..<(try reader.count(unit: 49)) { heads.append(try reader.commitID()) }
      guard reader.isAtEnd else { throw reader.damaged("bytes follow a horizon") }
      return Horizon(time: time, frontier: Frontier(heads))
    }
  }

  /// Returns the error of compacting up to a time that is not past.
  package static func liesAhead(_ time: HybridTime) -> VarveError {
    VarveError(
      .invalidArgument,
      "history cannot be folded up to a time that is not past",
      at: "horizon \(ISO8601Text.text(time))",
      remedy: "Name an earlier date, or keep more."
    )
  }

  /// The error of compacting in a commit that writes something else.
  package static var isNotAlone: VarveError {
    VarveError(
      .invalidArgument,
      "history is folded in a commit of its own",
      remedy: "Do it before or after the transaction."
    )
  }

  /// The error of reading a state before the horizon.
  package var isPassed: VarveError {
    let last = ISO8601Text.text(time)
    return VarveError(
      .compacted,
      "history was folded up to \(last): earlier states are not available",
      at: "horizon \(last)",
      remedy: "Ask for a later moment, or for the present."
    )
  }
}

extension CommitHeader {
  /// The horizon up to which the commit compacted history; nil if it did not.
  ///
  /// - Throws: ``VarveError`` with code `damaged`.
  package var horizon: Horizon? {
    get throws {
      guard kind == .redactions,
        let field = extensions.first(where: { $0.number == Horizon.fieldNumber })
      else { return nil }
      return try Horizon(encoded: field.bytes)
    }
  }
}
