#if Server
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// The beginning of the next page, and the state that all pages show.
///
/// A client passes it back as it is. The present is named by its commits, so pages fit together
/// even if something is written meanwhile, and any server that has the space can continue. It ends
/// with a digest of itself and of what is listed, so that it continues no other list.
struct Cursor: Sendable {
  let moment: Moment
  let offset: Int

  init(moment: Moment, offset: Int) {
    self.moment = moment
    self.offset = offset
  }

  /// Reads the text of a cursor.
  ///
  /// - Parameter list: what names the list that the cursor continues.
  init(_ text: String, in list: [String]) throws {
    guard let bytes = Data(base64URL: text), bytes.count > Self.digestByteCount,
      Data(Self.digest(of: bytes.dropLast(Self.digestByteCount), in: list))
        == bytes.suffix(Self.digestByteCount),
      let cursor = try? Array(bytes.dropLast(Self.digestByteCount)).withUnsafeBytes({ buffer in
        var reader = ByteReader(buffer)
        return try Cursor(&reader)
      })
    else { throw Self.malformed }
    self = cursor
  }

  private init(_ reader: inout ByteReader) throws {
    offset = try reader.number()
    switch try reader.byte() {
    case 1:
      moment = .time(HybridTime(rawValue: Int64(bitPattern: try reader.fixed())))
    case 2:
      let heads = try (0..<(try reader.count(unit: 49))).map { _ in try reader.commitID() }
      moment = .frontier(Frontier(heads))
    default: throw Self.malformed
    }
    guard reader.isAtEnd else { throw Self.malformed }
  }

  /// The text of the cursor in a list.
  func text(in list: [String]) -> String {
    var writer = ByteWriter()
    writer.varint(offset)
    switch moment {
    case .time(let time):
      writer.byte(1)
      writer.fixed(UInt64(bitPattern: time.rawValue))
    case .frontier(let frontier):
      writer.byte(2)
      writer.varint(frontier.heads.count)
      for head in frontier.heads { writer.commitID(head) }
    case .now: preconditionFailure("the present is named by its commits")
    }
    return Data(writer.bytes + Self.digest(of: writer.bytes, in: list)).base64URL
  }

  private static let digestByteCount = 8

  private static func digest(of bytes: some Collection<UInt8>, in list: [String]) -> [UInt8] {
    var writer = ByteWriter()
    for part in list { writer.text(part) }
    let first = ContentDigest.sha256(writer.bytes, Array(bytes)).words.0
    return withUnsafeBytes(of: first.bigEndian) { Array($0) }
  }

  fileprivate static var malformed: VarveError {
    VarveError(
      .invalidArgument,
      "the cursor is not one that this server gave for this request",
      at: "query, cursor",
      remedy:
        "Pass back `next` of the page before with its other parameters, or leave it out to begin."
    )
  }
}

/// The page that is asked for: `cursor`, or `asOf` to begin with a state, and `limit`.
struct PageRequest: Sendable {
  private let store: Store
  private let cursor: Cursor
  private let limit: Int
  private let list: [String]

  /// Reads the request for a page.
  ///
  /// - Parameter list: what names the list, beside the state.
  init(_ call: Call, _ store: Store, of list: [String]) async throws {
    self.store = store
    self.list = list
    limit = try call.limit()
    if let text = call.parameter("cursor") {
      cursor = try Cursor(text, in: list)
      // The cursor names the state. Naming it again is not needed, and naming another is a mistake.
      let moment = try await call.moment("asOf")?.moment(in: store) ?? .now
      guard moment == .now || moment == cursor.moment else { throw Cursor.malformed }
      return
    }
    let moment = try await call.moment("asOf")?.moment(in: store) ?? .now
    let pinned = moment == .now ? Moment.frontier(try await store.frontier()) : moment
    cursor = Cursor(moment: pinned, offset: 0)
  }

  /// Reads one entry more than the page has, and returns the page.
  func page(
    _ read: (any Reading, _ limit: Int, _ offset: Int) async throws -> [JSON]
  ) async throws -> JSON {
    let entries = try await entries { try await read($0, limit + 1, cursor.offset) }
    let hasMore = entries.count > limit
    let next = Cursor(moment: cursor.moment, offset: cursor.offset + limit)
    return [
      "items": .array(Array(entries.prefix(limit))),
      "next": hasMore && limit > 0 ? .string(next.text(in: list)) : .null,
    ]
  }

  private func entries(_ read: (any Reading) async throws -> [JSON]) async throws -> [JSON] {
    // While the state is the present one, reading that costs less. A commit may come in between.
    if case .frontier(let frontier) = cursor.moment, frontier == (try await store.frontier()) {
      let entries = try await store.read { try await read($0) }
      if frontier == (try await store.frontier()) { return entries }
    }
    return try await store.asOf(cursor.moment).read { try await read($0) }
  }
}
#endif
