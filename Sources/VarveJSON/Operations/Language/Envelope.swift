import Foundation
import VarveCore
import VarveStore

/// An operation with the fields that all operations of its kind share.
struct Envelope {
  let operation: Operation
  /// The author and the message, if given.
  var author: String?
  var message: String?
  /// The time from which the written data holds.
  var time: Date?
  /// The state to read, if not the present.
  var moment: MomentName?

  /// Reads an operation.
  ///
  /// - Parameter isInner: whether it is part of a transaction, which has the author.
  init(_ field: Part, isInner: Bool = false) throws {
    var fields = try Fields(field, of: "an operation")
    let named = try fields.need("op")
    let name = try named.string()
    operation = try Vocabulary.read(name, &fields, at: named.path)
    if case .reading = operation, !isInner {
      moment = try fields.take("asOf")?.moment()
    }
    if case .writing(let operation) = operation, !isInner || type(of: operation).isDatedAlone {
      time = try fields.take("at")?.date()
    }
    if !isInner, operation.isSigned {
      author = try fields.take("author")?.name()
      message = try fields.take("message")?.name()
    }
    try fields.finish()
  }
}

extension Operation {
  /// Whether it makes a commit, which has an author and a message.
  fileprivate var isSigned: Bool {
    switch self {
    case .reading: false
    case .writing: true
    case .whole(let operation): type(of: operation).isSigned
    case .mapping(let operation): type(of: operation).isSigned
    }
  }
}

extension Part {
  /// Reads a date, a commit, or a frontier.
  func moment() throws -> MomentName {
    if let head = json["commit"] {
      return .written(try Part(json: head, path: path + [.name("commit")]).head())
    }
    guard let heads = json["frontier"] else {
      if case .string(let text) = json { return try convert { _ in try Self.moment(text) } }
      return .date(try date())
    }
    let field = Part(json: heads, path: path + [.name("frontier")])
    return .frontier(Frontier(try field.elements().map { try $0.head() }))
  }

  private static func moment(_ text: String) throws -> MomentName {
    guard let name = MomentName(text) else {
      throw VarveError(
        .invalidOperation,
        "a state is expected",
        remedy: "Write it as \(MomentName.forms)."
      )
    }
    if case .date(let date) = name { _ = try HybridTime(date) }
    return name
  }

  private func head() throws -> CommitID {
    var fields = try Fields(self, of: "a head")
    let replica = try fields.need("replica")
    let sequence = try fields.need("sequence").count()
    let hash = try fields.need("hash")
    try fields.finish()
    guard let id = ReplicaID(try replica.string()) else { throw replica.misfit("a UUID") }
    guard let digest = ContentDigest(hexadecimal: try hash.string()) else {
      throw Misfit("64 hexadecimal digits are expected", at: hash.path)
    }
    return CommitID(replica: id, sequence: Int64(sequence), hash: digest)
  }
}

extension Frontier {
  /// The frontier as JSON.
  package var json: JSON {
    let heads = heads.map { head -> JSON in
      [
        "replica": .string(head.replica.text), "sequence": .integer(head.sequence),
        "hash": .string(head.hash.hexadecimal),
      ]
    }
    return ["frontier": .array(heads)]
  }
}
