import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// The beginning of the next page, and the state that all pages show.
///
/// A client passes it back as it is. The present is named by its commits, so pages fit together
/// even if something is written meanwhile, and any server that has the space can continue.
struct Cursor: Sendable {
  let moment: Moment
  let offset: Int

  init(moment: Moment, offset: Int) {
    self.moment = moment
    self.offset = offset
  }

  init(_ text: String) throws {
    guard let bytes = Data(base64URL: text),
      let cursor = try? Array(bytes).withUnsafeBytes({ buffer in
        var reader = ByteReader(buffer)
        return try Cursor(&reader)
      })
    else { throw Self.malformed }
    self = cursor
  }

  private init(_ reader: inout ByteReader) throws {
    offset = try reader.number()
    if try reader.byte() == 1 {
      moment = .time(HybridTime(rawValue: Int64(bitPattern: try reader.fixed())))
    } else {
      let heads = try (0..<(try reader.count(unit: 49))).map { _ in try reader.commitID() }
      moment = .frontier(Frontier(heads))
    }
    guard reader.isAtEnd else { throw Self.malformed }
  }

  var text: String {
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
    return Data(writer.bytes).base64URL
  }

  private static var malformed: VarveError {
    VarveError(
      .invalidArgument,
      "the cursor is not one that this server gave",
      at: "query, cursor",
      remedy: "Pass back `next` of the page before, or leave it out to begin."
    )
  }
}

/// The page that is asked for: `cursor`, or `asOf` to begin with a state, and `limit`.
struct PageRequest: Sendable {
  private let store: Store
  private let cursor: Cursor
  private let limit: Int

  init(_ call: Call, _ store: Store) async throws {
    self.store = store
    limit = try call.limit()
    if let text = call.parameter("cursor") {
      cursor = try Cursor(text)
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
      "next": hasMore && limit > 0 ? .string(next.text) : .null,
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
