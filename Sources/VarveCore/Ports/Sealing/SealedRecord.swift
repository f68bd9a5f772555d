/// A change of what a relay keeps of a sealed space beside the commits, as the relay's home stores it: one
/// arrival each. Whoever applies all records in order has what the relay keeps.
package enum SealedRecord: Sendable, Hashable {
  /// The next entry of the membership log.
  case entry([UInt8])
  /// The membership is ordered here from now on.
  case home
  /// A signed head.
  case signature([UInt8])
  /// A letter, in place of one of its kind with the same id.
  case letter(SealedLetterKind, id: [UInt8], content: [UInt8])
  /// A letter was removed.
  case removal(SealedLetterKind, id: [UInt8])
  /// The membership log keeps its first entries only: those that follow are of a log that has joined the
  /// rest.
  case cut(entryCount: Int64)

  private static let version: UInt8 = 1

  /// The bytes of the record, of which no two records have the same.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.version)
    switch self {
    case .entry(let entry):
      writer.byte(1)
      writer.counted(entry)
    case .home: writer.byte(2)
    case .signature(let signature):
      writer.byte(3)
      writer.counted(signature)
    case .letter(let kind, let id, let content):
      writer.byte(4)
      writer.byte(UInt8(kind.rawValue))
      writer.counted(id)
      writer.counted(content)
    case .removal(let kind, let id):
      writer.byte(5)
      writer.byte(UInt8(kind.rawValue))
      writer.counted(id)
    case .cut(let count):
      writer.byte(6)
      writer.varint(UInt64(count))
    }
    return writer.bytes
  }

  /// Reads a record.
  ///
  /// - Throws: ``VarveError`` with code `damaged`, or `newerFormat` if the version or the kind is unknown.
  package init(encoded bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      let version = try reader.byte()
      guard version == Self.version else {
        throw Self.newer("a record of a sealed space has version \(version)")
      }
      let record = try Self.read(&reader)
      guard reader.isAtEnd else { throw reader.damaged("bytes follow a record of a sealed space") }
      return record
    }
  }

  private static func read(_ reader: inout ByteReader) throws -> SealedRecord {
    let kind = try reader.byte()
    switch kind {
    case 1: return .entry(Array(try reader.counted()))
    case 2: return .home
    case 3: return .signature(Array(try reader.counted()))
    case 4:
      let letter = try letterKind(&reader)
      let id = Array(try reader.counted())
      return .letter(letter, id: id, content: Array(try reader.counted()))
    case 5:
      let letter = try letterKind(&reader)
      return .removal(letter, id: Array(try reader.counted()))
    case 6: return .cut(entryCount: Int64(clamping: try reader.varint()))
    default: throw newer("a record of a sealed space has kind \(kind)")
    }
  }

  private static func letterKind(_ reader: inout ByteReader) throws -> SealedLetterKind {
    let number = try reader.byte()
    guard let kind = SealedLetterKind(rawValue: Int64(number)) else {
      throw newer("a letter has kind \(number)")
    }
    return kind
  }

  private static func newer(_ what: String) -> VarveError {
    VarveError(.newerFormat, what, remedy: "Use a newer version of Varve.")
  }
}
