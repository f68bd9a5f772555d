import Foundation
import VarveCore

/// The members of a commit or a block in a full document.
struct CommitFields {
  private let object: JSON
  /// The member that the others must precede, if there is one.
  private let last: String?

  init(_ members: [JSON.Member], before last: String? = nil) {
    object = .object(members)
    self.last = last
  }

  func text(_ name: String) throws(Unusable) -> String {
    guard case .string(let text)? = object[name] else { throw missing(name, "text") }
    return text
  }

  func count(_ name: String) throws(Unusable) -> Int {
    guard case .integer(let value)? = object[name], let count = Int(exactly: value), count >= 0
    else { throw missing(name, "integer from 0") }
    return count
  }

  func digest(_ name: String) throws(Unusable) -> ContentDigest {
    guard let digest = ContentDigest(hexadecimal: try text(name)) else {
      throw missing(name, "text of 64 hexadecimal digits")
    }
    return digest
  }

  func bytes(_ name: String) throws(Unusable) -> [UInt8] {
    guard let data = Data(base64Encoded: try text(name)) else { throw missing(name, "base64") }
    return Array(data)
  }

  func replica(_ name: String) throws(Unusable) -> ReplicaID {
    guard let replica = ReplicaID(try text(name)) else { throw missing(name, "UUID") }
    return replica
  }

  /// Returns a time, from milliseconds since 1970 and a counter; nil if there is none.
  func time(_ name: String) throws(Unusable) -> HybridTime? {
    guard let json = object[name] else { return nil }
    guard case .object(let members) = json else { throw missing(name, "object") }
    let fields = CommitFields(members)
    guard case .integer(let milliseconds)? = json["milliseconds"],
      HybridTime.millisecondsRange.contains(milliseconds),
      let counter = UInt16(exactly: try fields.count("counter"))
    else { throw missing(name, "time: milliseconds and counter") }
    return HybridTime(millisecondsSince1970: milliseconds, counter: counter)
  }

  /// Returns the objects of a list; empty if there is no list.
  func list(_ name: String) throws(Unusable) -> [CommitFields] {
    guard let json = object[name] else { return [] }
    guard case .array(let elements) = json else { throw missing(name, "list") }
    var fields: [CommitFields] = []
    for element in elements {
      guard case .object(let members) = element else { throw missing(name, "list of objects") }
      fields.append(CommitFields(members))
    }
    return fields
  }

  func missing(_ name: String, _ what: String) -> Unusable {
    guard object[name] == nil else { return Unusable("\"\(name)\" is not a valid \(what)") }
    guard let last else { return Unusable("\"\(name)\" is missing") }
    return Unusable("\"\(name)\" is missing: it must be before \"\(last)\"")
  }
}

extension CommitHeader {
  /// Creates a header from the members of a commit.
  init(_ fields: CommitFields) throws {
    guard let kind = try Kind(name: fields.text("kind")),
      try fields.count("format") == Int(CommitHeader.formatVersion)
    else { throw Self.newer("a commit has a format or a kind this build does not know") }
    guard let time = try fields.time("time") else { throw fields.missing("time", "time") }
    self.init(
      kind: kind,
      replica: try fields.replica("replica"),
      sequence: Int64(try fields.count("sequence")),
      time: time,
      previous: try fields.digest("previous"),
      dependencies: try fields.list("dependencies").map { try CommitID($0) },
      author: try fields.text("author"),
      message: try fields.text("message"),
      ordinalCount: try fields.count("ordinals"),
      blockCount: try fields.count("blockCount"),
      blocksDigest: try fields.digest("digest"),
      latestCellTime: try fields.time("latest")
    )
    extensions = try fields.list("extensions").map { field in
      guard let number = UInt64(try field.text("number")) else {
        throw Unusable("the number of an extension is not a number")
      }
      guard number % 2 == 0 else { throw Self.newer("a commit has the mandatory field \(number)") }
      return Extension(number: number, bytes: try field.bytes("bytes"))
    }
  }

  private static func newer(_ what: String) -> VarveError {
    VarveError(.newerFormat, what, remedy: "Load it with a newer version of Varve.")
  }
}

extension CommitID {
  fileprivate init(_ fields: CommitFields) throws {
    self.init(
      replica: try fields.replica("replica"),
      sequence: Int64(try fields.count("sequence")),
      hash: try fields.digest("hash")
    )
  }
}
