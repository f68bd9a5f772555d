#if Server
import Foundation
import VarveCore
import VarveJSON

/// A role in one space that the server keeps for the subject of signed tokens.
///
/// It is for the space with its name and its id. Another space that gets the name later has nothing
/// to do with it, nor has a copy with another name.
struct KeptRole: Sendable, Hashable {
  /// Who signs the subject's tokens, and the subject as they name it.
  let holder: Holder
  let space: SpaceName
  let id: SpaceID
  let role: Role
  /// Who granted it; nil if the server does not ask who calls.
  let grantor: String?
  let time: Date

  /// A subject of an issuer. Two issuers may use one name for two people.
  struct Holder: Sendable, Hashable {
    let issuer: String
    let subject: String

    static let subjectByteCount = 1_000

    /// A digest of the bytes of both texts. Texts that only look equal have different digests.
    var digest: ContentDigest {
      .sha256(Array("\(issuer.utf8.count) \(issuer)\(subject)".utf8))
    }

    static func == (left: Holder, right: Holder) -> Bool {
      left.issuer.utf8.elementsEqual(right.issuer.utf8)
        && left.subject.utf8.elementsEqual(right.subject.utf8)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
  }

  /// Whether it is for a space.
  func isFor(_ space: SpaceID, _ name: SpaceName) -> Bool { id == space && self.space == name }

  /// The role as clients read it.
  var json: JSON {
    [
      "subject": .string(holder.subject), "issuer": .string(holder.issuer),
      "role": .string(role.rawValue), "by": .optional(grantor),
      "time": .optional(DateWriter.exact(time)),
    ]
  }

  /// The role as it is kept.
  var record: JSON {
    guard case .object(let members) = json else { return json }
    return .object(
      members + [
        JSON.Member(name: "space", value: .string(space.text)),
        JSON.Member(name: "id", value: .string(id.text)),
      ]
    )
  }
}

extension KeptRole {
  /// Reads a role as it is kept; nil if the document is anything else.
  init?(_ json: JSON) {
    guard case .string(let subject)? = json["subject"], case .string(let issuer)? = json["issuer"],
      case .string(let text)? = json["role"], let role = Role(rawValue: text),
      case .string(let name)? = json["space"], let space = SpaceName(name),
      case .string(let idText)? = json["id"], let id = SpaceID(idText),
      case .string(let timeText)? = json["time"], let time = DateReader.read(timeText)
    else { return nil }
    var grantor: String?
    if case .string(let text)? = json["by"] { grantor = text }
    self.init(
      holder: Holder(issuer: issuer, subject: subject),
      space: space,
      id: id,
      role: role,
      grantor: grantor,
      time: time
    )
  }
}
#endif
