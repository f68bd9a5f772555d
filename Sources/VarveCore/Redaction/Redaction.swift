/// Names cells of another commit whose content is dropped, by their ordinals.
///
/// Only the content of properties can be redacted: values, removals, markers, elements. Lives,
/// ownership and free relations stay even if they are named, so a redaction changes no liveness.
package struct Redaction: Hashable, Sendable {
  /// The commit whose cells are named.
  package let commit: CommitID
  package var parts: [Part]

  /// Ordinals, for all properties or for one, because the values of a creation share an ordinal.
  package struct Part: Hashable, Sendable {
    /// The property; nil for all cells at the ordinals.
    package let key: PropertyKey?
    package var ordinals: OrdinalSet

    package init(key: PropertyKey?, ordinals: OrdinalSet) {
      self.key = key
      self.ordinals = ordinals
    }
  }

  package init(_ commit: CommitID, _ parts: [Part]) {
    self.commit = commit
    self.parts = parts
  }

  /// The error of a redaction whose commit is not here.
  package var isOfNothing: VarveError {
    VarveError(
      .notFound,
      "a redaction names a commit that is missing here",
      at: "commit \(commit.sequence) of replica \(commit.replica)",
      remedy: "Merge from the store the commit came from."
    )
  }

  /// The approximate size in a block.
  package var byteCount: Int {
    parts.reduce(56) { $0 + 8 + ($1.key?.text.utf8.count ?? 0) + 4 * $1.ordinals.ranges.count }
  }

  /// Returns the redaction, split into parts that fit into blocks.
  package func split(atMost byteCount: Int = BlockContent.targetByteCount / 2) -> [Redaction] {
    guard self.byteCount > byteCount else { return [self] }
    var pieces: [Redaction] = []
    for part in parts {
      let count = max(1, byteCount / 4)
      for start in stride(from: 0, to: part.ordinals.ranges.count, by: count) {
        let ranges = part.ordinals.ranges[start..<min(start + count, part.ordinals.ranges.count)]
        let piece = Part(key: part.key, ordinals: OrdinalSet(rising: Array(ranges)))
        pieces.append(Redaction(commit, [piece]))
      }
    }
    return pieces
  }
}

extension ByteWriter {
  package mutating func redaction(_ redaction: Redaction) {
    commitID(redaction.commit)
    redactionParts(redaction.parts)
  }

  package mutating func redactionParts(_ parts: [Redaction.Part]) {
    varint(parts.count)
    for part in parts {
      byte(part.key == nil ? 0 : 1)
      if let key = part.key { text(key.text) }
      ordinalSet(part.ordinals)
    }
  }
}

extension ByteReader {
  package mutating func redaction() throws -> Redaction {
    Redaction(try commitID(), try redactionParts())
  }

  package mutating func redactionParts() throws -> [Redaction.Part] {
    var parts: [Redaction.Part] = []
    for _ in 0..<(try count(unit: 2)) {
      let key: PropertyKey?
      switch try byte() {
      case 0: key = nil
      case 1: key = PropertyKey(try text())
      default: throw damaged("a redaction names a property in an unknown way")
      }
      parts.append(Redaction.Part(key: key, ordinals: try ordinalSet()))
    }
    return parts
  }
}
