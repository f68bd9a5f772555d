import Foundation

/// An object with `change`, `time` and `commit`; and with `date`, the time as the encoder writes
/// dates, which is not read again. The other members depend on the change:
///
/// | `change` | members |
/// | --- | --- |
/// | `value` | `key`, `value`, `semanticType` |
/// | `removal`, `collection` | `key` |
/// | `created`, `recreated` | `type`, and `datestamp` if it differs from the time |
/// | `erased`, `restored` | none |
/// | `added` | `relation` with `kind` and `name`, `target`, and `position` and `pairing` if any |
/// | `takenOut` | `relation`, `target`, `adds` |
extension Version: Codable {
  private enum Member: String, CodingKey {
    case change, time, date, commit
    case key, value, semanticType, type, datestamp, relation, target, position, pairing, adds
  }

  private enum Change: String, Codable {
    case value, removal, collection, created, recreated, erased, restored, added, takenOut
  }

  /// Decodes a version.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    func member<M: Decodable>(_ key: Member) throws -> M {
      try container.decode(M.self, forKey: key)
    }
    time = try member(.time)
    commit = try member(.commit)
    ordinal = nil
    let change: Change = try member(.change)
    switch change {
    case .value:
      content = .value(
        try member(.key),
        try member(.value),
        semanticType: try member(.semanticType)
      )
    case .removal: content = .removal(try member(.key))
    case .collection: content = .collection(try member(.key))
    case .created, .recreated:
      let type: EntityType = try member(.type)
      let datestamp = try container.decodeIfPresent(HybridTime.self, forKey: .datestamp)
      content = .life(
        change == .created
          ? .created(type, datestamp: datestamp) : .recreated(type, datestamp: datestamp)
      )
    case .erased: content = .life(.erased)
    case .restored: content = .life(.restored)
    case .added:
      content = .add(
        try member(.relation),
        target: try member(.target),
        position: try container.decodeIfPresent(ListPosition.self, forKey: .position),
        pairing: try container.decodeIfPresent(Pairing.self, forKey: .pairing)
      )
    case .takenOut:
      content = .remove(
        try member(.relation),
        target: try member(.target),
        adds: try member(.adds)
      )
    }
  }

  /// Encodes a version.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    try container.encode(change, forKey: .change)
    try container.encode(time, forKey: .time)
    try container.encode(time.date, forKey: .date)
    try container.encode(commit, forKey: .commit)
    switch content {
    case .value(let key, let value, let semanticType):
      try container.encode(key, forKey: .key)
      try container.encode(value, forKey: .value)
      try container.encode(semanticType, forKey: .semanticType)
    case .removal(let key), .collection(let key): try container.encode(key, forKey: .key)
    case .life(.created(let type, let datestamp)), .life(.recreated(let type, let datestamp)):
      try container.encode(type, forKey: .type)
      try container.encodeIfPresent(datestamp, forKey: .datestamp)
    case .life: break
    case .add(let relation, let target, let position, let pairing):
      try container.encode(relation, forKey: .relation)
      try container.encode(target, forKey: .target)
      try container.encodeIfPresent(position, forKey: .position)
      try container.encodeIfPresent(pairing, forKey: .pairing)
    case .remove(let relation, let target, let adds):
      try container.encode(relation, forKey: .relation)
      try container.encode(target, forKey: .target)
      try container.encode(adds, forKey: .adds)
    }
  }

  private var change: Change {
    switch content {
    case .value: .value
    case .removal: .removal
    case .collection: .collection
    case .life(.created): .created
    case .life(.recreated): .recreated
    case .life(.erased): .erased
    case .life(.restored): .restored
    case .add: .added
    case .remove: .takenOut
    }
  }
}
