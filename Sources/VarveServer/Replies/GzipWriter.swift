#if Server
import CZlib
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// Compresses documents for clients that accept it.
enum Compression {
  /// The fewest bytes that are worth the effort.
  private static let leastByteCount = 1_024

  /// Returns a reply with its body compressed, if the client accepts that, and the body is a
  /// document of some size. Streams are left as they are: each part must arrive at once.
  static func compressed(_ response: Response, for request: Request) -> Response {
    guard let type = response.headers[.contentType], isText(type),
      let count = response.body.contentLength, count >= leastByteCount,
      response.headers[.contentEncoding] == nil, response.headers[.contentRange] == nil
    else { return response }
    var response = response
    response.headers.addVary("Accept-Encoding")
    guard accepts(request.headers[.acceptEncoding] ?? "") else { return response }
    response.headers[.contentEncoding] = "gzip"
    response.headers[.contentLength] = nil
    // The bytes are not those of the plain reply, so the tag is a weak one.
    if let tag = response.headers[.eTag], !tag.hasPrefix("W/") {
      response.headers[.eTag] = "W/\(tag)"
    }
    let body = response.body
    response.body = ResponseBody { writer in
      try await body.write(GzipWriter(writer))
    }
    return response
  }

  private static func isText(_ type: String) -> Bool {
    [Reply.json, "application/problem+json", "text/html", "text/css", "text/javascript"]
      .contains { type.hasPrefix($0) }
  }

  /// Returns whether a header permits gzip.
  static func accepts(_ header: String) -> Bool {
    for part in header.lowercased().split(separator: ",") {
      let pieces = part.split(separator: ";").map { $0.trimmed }
      guard let name = pieces.first, name == "gzip" || name == "x-gzip" else { continue }
      let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
      return weight.flatMap { Double($0) } ?? 1 > 0
    }
    return false
  }
}

extension HTTPFields {
  /// Adds a name to the header that says what a reply depends on.
  mutating func addVary(_ name: String) {
    let known = self[.vary].map { "\($0), " } ?? ""
    self[.vary] = known + name
  }
}

/// Writes what it is given to another writer, compressed.
private struct GzipWriter: ResponseBodyWriter {
  private var writer: any ResponseBodyWriter
  private let deflater = Deflater()

  init(_ writer: any ResponseBodyWriter) { self.writer = writer }

  @concurrent
  mutating func write(_ buffer: ByteBuffer) async throws {
    let bytes = deflater.deflate(Array(buffer.readableBytesView), Z_NO_FLUSH)
    if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
  }

  @concurrent
  consuming func finish(_ trailing: HTTPFields?) async throws {
    let bytes = deflater.deflate([], Z_FINISH)
    try await writer.write(ByteBuffer(bytes: bytes))
    try await writer.finish(trailing)
  }
}

/// A stream of zlib in the format of gzip.
private final class Deflater {
  private var stream = z_stream()

  init() {
    // 16 more than the window's 15 bits asks for the header of gzip. It fails for lack of memory
    // only.
    let status = deflateInit2_(
      &stream,
      Z_DEFAULT_COMPRESSION,
      Z_DEFLATED,
      15 + 16,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    precondition(status == Z_OK, "zlib has no memory for a stream")
  }

  deinit { deflateEnd(&stream) }

  func deflate(_ bytes: [UInt8], _ flush: Int32) -> [UInt8] {
    var input = bytes
    var output: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 14)
    input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      repeat {
        let count = part.withUnsafeMutableBufferPointer { target -> Int in
          stream.next_out = target.baseAddress
          stream.avail_out = UInt32(target.count)
          _ = CZlib.deflate(&stream, flush)
          return target.count - Int(stream.avail_out)
        }
        output += part[..<count]
      } while stream.avail_out == 0
    }
    return output
  }
}
#endif
