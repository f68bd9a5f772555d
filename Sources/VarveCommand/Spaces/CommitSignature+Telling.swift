#if CommandLine
import VarveCore
import VarveJSON
import VarveSealed

extension CommitSignature {
  /// The device that signed, or why the commit is not signed or does not count.
  var shown: String {
    let name = device.map(SpaceMember.short)
    let rest = [reason, name].compactMap(\.self).joined(separator: ", ")
    switch standing {
    case .signed: return name ?? ""
    case .unsigned: return "unsigned"
    case .waiting, .void: return "\(standing.rawValue): \(rest)"
    }
  }

  /// The signature as JSON.
  var json: JSON {
    [
      "standing": .string(standing.rawValue), "device": .optional(device),
      "reason": .optional(reason),
    ]
  }
}

extension JSON {
  /// Returns an object with a commit's signature added.
  func signed(_ signatures: SpaceSignatures?, _ commit: CommitID) -> JSON {
    guard let signatures, case .object(let members) = self else { return self }
    let signature = signatures.signature(of: commit).json
    return .object(members + [Member(name: "signature", value: signature)])
  }
}
#endif
