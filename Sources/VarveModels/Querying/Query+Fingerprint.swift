import VarveCore

extension Query {
  /// Sixteen bytes that distinguish the rows and the order of queries, in every process.
  var fingerprint: [UInt8] {
    var writer = ByteWriter()
    for child in Mirror(reflecting: self).children {
      // Parts that the query does not read do not affect its rows.
      guard let label = child.label, !Self.unread.contains(label) else { continue }
      let part = Fingerprint.bytes(of: child.value)
      // A part that a later version adds does not change the fingerprints of queries without it.
      guard !Self.emptyParts.contains(part) else { continue }
      writer.text(label)
      writer.counted(part)
    }
    return Array(ContentDigest.sha256(writer.bytes).bytes.prefix(16))
  }

  private static let unread = ["knownKeys", "joinedKeys", "wantedIndexes", "tokenizers", "refusal"]

  private static let emptyParts = [
    Fingerprint.bytes(of: Int?.none as Any), Fingerprint.bytes(of: [Int]()),
    Fingerprint.bytes(of: false), Fingerprint.bytes(of: 0),
  ]
}

/// Writes any value by its structure, without names of types and without the order of sets.
private enum Fingerprint {
  static func bytes(of value: Any) -> [UInt8] {
    var writer = ByteWriter()
    switch value {
    case let value as Value: put("value", value.encoded, &writer)
    case let name as any ByteExactText: put("text", Array(name.text.utf8), &writer)
    case let id as EntityID: put("text", Array(id.text.utf8), &writer)
    case let text as String: put("text", Array(text.utf8), &writer)
    case let truth as Bool: put("truth", [truth ? 1 : 0], &writer)
    case let number as any BinaryInteger: put("number", Array("\(number)".utf8), &writer)
    default: put(Mirror(reflecting: value), of: value, &writer)
    }
    return writer.bytes
  }

  private static func put(_ tag: String, _ content: [UInt8], _ writer: inout ByteWriter) {
    writer.text(tag)
    writer.counted(content)
  }

  private static func put(_ mirror: Mirror, of value: Any, _ writer: inout ByteWriter) {
    var parts = mirror.children.map { child in
      var part = ByteWriter()
      part.text(child.label ?? "")
      part.counted(bytes(of: child.value))
      return part.bytes
    }
    switch mirror.displayStyle {
    case .set, .dictionary: parts.sort { $0.lexicographicallyPrecedes($1) }
    // A case without content is known by its name only.
    case .enum where parts.isEmpty: put("case", Array("\(value)".utf8), &writer)
    default: break
    }
    writer.varint(parts.count)
    for part in parts { writer.counted(part) }
  }
}
