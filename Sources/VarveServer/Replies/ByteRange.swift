#if Server
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import VarveCore

/// Parts of a large value.
enum ByteRange {
  /// What a client asks for.
  enum Wanted: Equatable {
    case whole
    case part(Range<Int>)
    case unsatisfiable
  }

  /// The number of bytes that are written at a time.
  private static let pieceByteCount = 1 << 18

  /// Returns a text or data as the reply: all of it, or the part that is asked for.
  static func reply(
    to request: Request,
    with value: Value?,
    of id: EntityID,
    _ key: PropertyKey
  ) throws -> Response {
    let (bytes, type) = try content(of: value, id, key)
    let tag = "\"\(ContentDigest.sha256(bytes).hexadecimal.prefix(32))\""
    var headers: HTTPFields = [
      .eTag: tag, .cacheControl: "private, no-cache", .vary: "Authorization",
      .acceptRanges: "bytes", .contentType: type,
      // A browser must not take what someone stored for a page of this server.
      .contentDisposition: "attachment", .xContentTypeOptions: "nosniff",
    ]
    if Reply.isKnown(tag, request) { return Response(status: .notModified, headers: headers) }
    switch wanted(request, bytes.count, tag) {
    case .whole:
      return Response(status: .ok, headers: headers, body: body(bytes[...]))
    case .part(let range):
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
      return Response(status: .partialContent, headers: headers, body: body(bytes[range]))
    case .unsatisfiable:
      var problem = Problem(
        .rangeNotSatisfiable,
        "invalidArgument",
        "the value has \(bytes.count) bytes",
        at: "header Range",
        remedy: "Ask for a range within it."
      )
      problem.headers[.contentRange] = "bytes */\(bytes.count)"
      throw problem
    }
  }

  private static func content(
    of value: Value?,
    _ id: EntityID,
    _ key: PropertyKey
  ) throws -> ([UInt8], String) {
    switch value {
    case .data(let data): return (Array(data), "application/octet-stream")
    case .string(let text): return (Array(text.utf8), "text/plain; charset=utf-8")
    case nil:
      throw VarveError(
        .notFound,
        "the entity has no value under \"\(key.text)\"",
        at: "entity \(id), property \(key)",
        remedy: "GET the entity; it lists its properties."
      )
    default:
      throw VarveError(
        .typeMismatch,
        "the value under \"\(key.text)\" is neither a text nor data",
        at: "entity \(id), property \(key)",
        remedy: "GET the entity; it has the value as JSON."
      )
    }
  }

  private static func body(_ bytes: ArraySlice<UInt8>) -> ResponseBody {
    ResponseBody(contentLength: bytes.count) { writer in
      var rest = bytes
      while !rest.isEmpty {
        try await writer.write(ByteBuffer(bytes: rest.prefix(pieceByteCount)))
        rest = rest.dropFirst(pieceByteCount)
      }
      try await writer.finish(nil)
    }
  }

  /// Returns what a request asks for. Several ranges, and headers that cannot be read, are ignored.
  private static func wanted(_ request: Request, _ count: Int, _ tag: String) -> Wanted {
    guard let text = request.headers[.range] else { return .whole }
    if let condition = request.headers[.ifRange], condition.trimmed != tag { return .whole }
    return wanted(text, count)
  }

  /// Parses a header `Range` for a value with a number of bytes.
  static func wanted(_ text: String, _ count: Int) -> Wanted {
    guard text.lowercased().hasPrefix("bytes="), !text.contains(",") else { return .whole }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
      .map { $0.trimmed }
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
      return .whole
    }
    switch (Int(ends[0]), Int(ends[1])) {
    case (let first?, let last) where ends[1].isEmpty || last != nil:
      guard (last ?? .max) >= first else { return .whole }
      guard first < count else { return .unsatisfiable }
      return .part(first..<min(count - 1, last ?? .max) + 1)
    case (nil, let suffix?) where ends[0].isEmpty:
      guard suffix > 0, count > 0 else { return .unsatisfiable }
      return .part(max(0, count - suffix)..<count)
    default: return .whole
    }
  }
}
#endif
