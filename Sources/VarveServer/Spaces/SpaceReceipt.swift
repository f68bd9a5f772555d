#if Server
import Foundation
import HTTPTypes
import VarveCore
import VarveJSON

/// What remains of a space that was ended, or moved to another home: which one it was, when that
/// was, and by whom.
struct SpaceReceipt: Sendable, Hashable {
  let name: SpaceName
  let id: SpaceID
  /// The number of its commits.
  var commitCount: Int
  let time: Date
  /// Who ended it; nil if the server does not ask who calls.
  let subject: String?
  /// Whether it is at another home now.
  var isMoved = false

  var json: JSON {
    let members: [(String, JSON)] = [
      ("name", .string(name.text)), ("id", .string(id.text)), ("commits", .count(commitCount)),
      ("ended", true), ("time", .optional(DateWriter.exact(time))), ("by", .optional(subject)),
    ]
    return .object(
      (members + (isMoved ? [("moved", true)] : [])).map { JSON.Member(name: $0, value: $1) }
    )
  }
}

extension SpaceReceipt {
  /// Reads a receipt; nil if the document is anything else.
  init?(_ json: JSON) {
    guard case .string(let name)? = json["name"], let name = SpaceName(name),
      case .string(let id)? = json["id"], let id = SpaceID(id),
      case .integer(let count)? = json["commits"],
      case .string(let time)? = json["time"], let time = DateReader.read(time)
    else { return nil }
    var subject: String?
    if case .string(let text)? = json["by"] { subject = text }
    self.init(name: name, id: id, commitCount: Int(count), time: time, subject: subject)
    isMoved = json["moved"] == true
  }
}

/// The receipts of a folder's ended spaces, one JSON object each, in `ended.jsonl`.
struct SpaceReceipts: Sendable {
  private let path: String

  init(_ folder: String) { path = "\(folder)/ended.jsonl" }

  /// Adds a receipt, which is on the disk afterwards.
  func add(_ receipt: SpaceReceipt) throws { try LineFile(path).append(receipt.json) }

  /// Returns the receipt of the space that had a name last; nil if none had it.
  func newest(of name: SpaceName) throws -> SpaceReceipt? {
    try LineFile(path).read().lazy.compactMap { SpaceReceipt($0) }.last { $0.name == name }
  }
}

extension Problem {
  /// Creates the problem of a request about a space that was ended.
  init(ended receipt: SpaceReceipt) {
    let time = DateWriter.exact(receipt.time) ?? ""
    let fate = receipt.isMoved ? "moved to another home" : "ended"
    self.init(
      .gone,
      "ended",
      "the space \"\(receipt.name.text)\" was \(fate) at \(time)",
      remedy: receipt.isMoved
        ? "Use a host of its new home. PUT creates another space under the name here."
        : "Copies of it keep what they have. PUT creates another space under the name."
    )
    place = "space \(receipt.id.text)"
  }
}
#endif
