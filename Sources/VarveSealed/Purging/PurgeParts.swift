import VarveCore

/// The redactions of a purge in parts, each of which one entry of the membership log can carry.
struct PurgeParts: Sequence, IteratorProtocol {
  private var rest: ArraySlice<Redaction>

  /// The approximate size of a part. Its encoding is shorter than the limit by more than one redaction.
  private static let byteCount = SealedLimits.redactionByteCount / 2

  init(_ redactions: [Redaction]) { rest = redactions.flatMap { $0.split() }[...] }

  mutating func next() -> [Redaction]? {
    var part: [Redaction] = []
    var size = 0
    while let redaction = rest.first, part.isEmpty || size + redaction.byteCount <= Self.byteCount {
      part.append(redaction)
      size += redaction.byteCount
      rest.removeFirst()
    }
    return part.isEmpty ? nil : part
  }
}
