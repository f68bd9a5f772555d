import Foundation
import VarveCore

/// Reads the commits of a full document, piece by piece.
struct CommitReading {
  private let document: DocumentReading
  private var stream: JSONStream { document.stream }
  /// The number of commits begun.
  private(set) var count = 0
  private var isInBlocks = false

  /// The size limit of a block in base64.
  private static let maximumByteCount = 32 << 20

  init(_ document: DocumentReading) { self.document = document }

  /// Returns the next piece, or nil after the last, when the document has been read to its end.
  mutating func next() throws -> CommitPart? {
    if isInBlocks {
      if try stream.nextElement() { return .block(try block()) }
      isInBlocks = false
      guard try stream.nextName() == nil else {
        throw misfit("\"blocks\" is the last member of a commit", try stream.nextPosition())
      }
    }
    guard try stream.nextElement() else {
      try document.finish()
      return nil
    }
    count += 1
    let header = try header()
    isInBlocks = true
    return .header(header)
  }

  /// Reads a commit up to its blocks.
  private func header() throws -> CommitHeader {
    let place = try stream.nextPosition()
    guard try stream.enterObject() else { throw misfit("a commit is an object", place) }
    var members: [JSON.Member] = []
    while let name = try stream.nextName() {
      if name == "blocks" {
        guard try stream.enterArray() else {
          throw misfit("\"blocks\" is a list", try stream.nextPosition())
        }
        return try header(members, place)
      }
      let position = try stream.nextPosition()
      guard let piece = try stream.value(atMost: Self.maximumByteCount) else {
        throw misfit("\"\(name)\" is too long", position)
      }
      members.append(JSON.Member(name: name, value: piece.json))
    }
    throw misfit("a commit has no \"blocks\"", place)
  }

  private func header(_ members: [JSON.Member], _ place: JSONPosition) throws -> CommitHeader {
    let fields = CommitFields(members, before: "blocks")
    do {
      let encoded = try CommitHeader(fields).encoded
      let hash = try fields.digest("hash")
      guard CommitHeader.hash(ofEncoded: encoded) == hash else {
        throw VarveError(
          .damaged,
          "a commit does not match its hash",
          remedy: "Export the document again."
        ).located(at: place)
      }
      do {
        // The validity of a header is decided in one place, for documents and stores.
        return try CommitHeader(encoded: encoded)
      } catch let error as VarveError {
        throw error.located(at: place)
      }
    } catch let unusable as Unusable {
      throw misfit(unusable.reason, place)
    }
  }

  private func block() throws -> Block {
    let place = try stream.nextPosition()
    guard let piece = try stream.value(atMost: Self.maximumByteCount),
      case .object(let members) = piece.json
    else { throw misfit("a block is an object, and at most 8 MiB", place) }
    let fields = CommitFields(members)
    do throws(Unusable) {
      let block = Block(
        salt: try fields.bytes("salt"),
        digest: try fields.digest("digest"),
        stored: try fields.bytes("stored")
      )
      if block.salt.isEmpty || block.salt.count == Block.saltByteCount { return block }
    } catch {
      throw misfit(error.reason, place)
    }
    throw VarveError(
      .damaged,
      "the salt of a block has another length than \(Block.saltByteCount) bytes",
      remedy: "Export the document again."
    ).located(at: place)
  }

  private func misfit(_ message: String, _ position: JSONPosition) -> VarveError {
    DocumentReading.misfit(message, position)
  }
}
