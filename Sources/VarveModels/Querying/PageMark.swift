import Foundation
import VarveCore

/// The end of a page, after which the next page begins.
///
/// Its ``text`` can be part of a URL, so that a server needs no memory of the pages it gave out:
///
/// ```swift
/// let next = try PageMark(request.query["after"])
/// let page = try await store.page(of: Hat.all, size: 100, after: next)
/// ```
///
/// The text is opaque, but not secret: it contains the identifier of the last row and its values of
/// the sort criteria. It belongs to one query. A mark that was changed or belongs to another query
/// throws `invalidArgument`. This does not prevent a deliberately forged mark, which
/// only begins the page elsewhere.
public struct PageMark: Hashable, Sendable {
  /// The values of the sort criteria in the last row, with its identifier at the end.
  let values: [Value?]
  /// The fingerprint of the query.
  let query: [UInt8]

  init(values: [Value?], query: Query) {
    self.values = values
    self.query = query.fingerprint
  }

  /// The version of the text.
  private static let version: UInt8 = 1
  private static let checksumCount = 8

  /// The mark as text: letters, digits, `-` and `_`.
  public var text: String {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.counted(query)
    writer.varint(values.count)
    for value in values {
      writer.byte(value == nil ? 0 : 1)
      if let value { writer.counted(value.encoded) }
    }
    let bytes = writer.bytes + Self.checksum(of: writer.bytes)
    return Data(bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Creates a mark from its text.
  ///
  /// - Throws: ``VarveError``: `invalidArgument` if the text is not a mark or was changed;
  ///   `newerFormat` if a later version of Varve wrote it.
  public init(_ text: String) throws {
    let bytes = try Self.bytes(of: text)
    guard bytes[0] == Self.version else {
      throw VarveError(
        .newerFormat,
        "the mark has the unknown version \(bytes[0])",
        at: "mark of a page",
        remedy: "Begin with the first page."
      )
    }
    let content = bytes.dropLast(Self.checksumCount)
    do {
      (query, values) = try Array(content.dropFirst()).withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        let query = Array(try reader.counted())
        let values = try (0..<reader.count()).map { _ -> Value? in
          try reader.byte() == 0 ? nil : Value(encoded: Array(try reader.counted()))
        }
        guard reader.isAtEnd else { throw reader.damaged("bytes follow the mark") }
        return (query, values)
      }
    } catch {
      throw Self.changed
    }
  }

  /// Returns the bytes of a text whose checksum is right.
  private static func bytes(of text: String) throws -> [UInt8] {
    let isPlain = text.utf8.allSatisfy { byte in
      switch Unicode.Scalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
      default: false
      }
    }
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    let encoded = text.replacing("-", with: "+").replacing("_", with: "/") + padding
    guard isPlain, let data = Data(base64Encoded: encoded), data.count > checksumCount + 1 else {
      throw changed
    }
    let bytes = Array(data)
    let content = Array(bytes.dropLast(checksumCount))
    guard bytes.suffix(checksumCount).elementsEqual(checksum(of: content)) else { throw changed }
    return bytes
  }

  private static func checksum(of bytes: [UInt8]) -> [UInt8] {
    Array(ContentDigest.sha256(bytes).bytes.prefix(checksumCount))
  }

  private static var changed: VarveError {
    VarveError(
      .invalidArgument,
      "the text is not the mark of a page",
      at: "mark of a page",
      remedy: "Pass the mark as it was returned, or begin with the first page."
    )
  }
}

extension PageMark: CustomStringConvertible {
  /// The mark as text.
  public var description: String { text }
}

/// The mark's text.
extension PageMark: Codable {
  /// Decodes a mark from its text.
  ///
  /// - Throws: as ``init(_:)``; `DecodingError` if there is no text.
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
