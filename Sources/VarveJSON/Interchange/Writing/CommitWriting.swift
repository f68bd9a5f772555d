import Foundation
import VarveCore

/// Writes commits in the form of a full document, part by part.
struct CommitWriting {
  /// The number of commits begun.
  private(set) var count = 0
  private var blockCount = 0

  /// Writes the next part.
  mutating func write(_ part: CommitPart, to json: inout JSONBytes) {
    switch part {
    case .header(let header):
      end(&json)
      json.raw(count == 0 ? "\n" : ",\n")
      count += 1
      blockCount = 0
      write(header, to: &json)
    case .block(let block):
      json.raw(blockCount == 0 ? "\n" : ",\n")
      blockCount += 1
      json.raw("{\"salt\":")
      json.base64(Data(block.salt))
      json.raw(",\"digest\":")
      json.string(block.digest.hexadecimal)
      json.raw(",\"stored\":")
      json.base64(Data(block.stored))
      json.raw("}")
    }
  }

  /// Ends the open commit, if there is one.
  func end(_ json: inout JSONBytes) {
    if count > 0 { json.raw("]}") }
  }

  private func write(_ header: CommitHeader, to json: inout JSONBytes) {
    var members: [JSON.Member] = []
    func add(_ name: String, _ value: JSON) { members.append(.init(name: name, value: value)) }
    add("hash", .string(CommitHeader.hash(ofEncoded: header.encoded).hexadecimal))
    add("format", .integer(Int64(CommitHeader.formatVersion)))
    add("kind", .string(header.kind.name))
    add("replica", .string(header.replica.text))
    add("sequence", .integer(header.sequence))
    add("time", header.time.json)
    add("previous", .string(header.previous.hexadecimal))
    add("dependencies", .array(header.dependencies.map(\.json)))
    add("author", .string(header.author))
    add("message", .string(header.message))
    add("ordinals", .count(header.ordinalCount))
    add("blockCount", .count(header.blockCount))
    add("digest", .string(header.blocksDigest.hexadecimal))
    if let latest = header.latestCellTime { add("latest", latest.json) }
    if !header.extensions.isEmpty {
      add("extensions", .array(header.extensions.map(\.json)))
    }
    json.text(String(JSON.object(members).text.dropLast()))
    json.raw(",\"blocks\":[")
  }
}

extension HybridTime {
  /// Milliseconds since 1970 and the counter.
  fileprivate var json: JSON {
    ["milliseconds": .integer(millisecondsSince1970), "counter": .integer(Int64(counter))]
  }
}

extension CommitID {
  fileprivate var json: JSON {
    [
      "replica": .string(replica.text), "sequence": .integer(sequence),
      "hash": .string(hash.hexadecimal),
    ]
  }
}

extension CommitHeader.Extension {
  fileprivate var json: JSON {
    [
      "number": .string(String(number)),
      "bytes": .string(Data(bytes).base64EncodedString()),
    ]
  }
}
