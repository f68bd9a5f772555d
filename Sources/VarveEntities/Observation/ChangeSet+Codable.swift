import VarveCore

extension ChangeSet.Origin: Codable {}

/// The name of the action.
extension ChangeAction: Codable {}

/// An object with the properties' names as members. Each element of `changed` is an object with
/// `id`, and with the list `keys` of the written keys in byte order:
///
/// ```json
/// {"origin": "local", "action": "set", "added": [], "erased": [],
///  "changed": [{"id": "hat-1", "keys": ["color"]}], "types": ["Hat"],
///  "commit": {"id": {"replica": "…", "sequence": 7, "hash": "…"}, "time": "…"}, "commitCount": 1}
/// ```
///
/// `former` is there if an added entity had been dead before, or if a purge took properties from one
/// that died: with the keys that it ever had, or lost, as an element of `changed`.
extension ChangeSet: Codable {
  private enum Member: String, CodingKey {
    case origin, action, added, erased, changed, types, commit, commitCount, former
  }

  private struct Changed: Codable {
    var id: EntityID
    var keys: [PropertyKey]
  }

  /// Decodes a change set.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Member.self)
    self.init(
      origin: try container.decode(Origin.self, forKey: .origin),
      action: try container.decode(ChangeAction.self, forKey: .action),
      commit: try container.decode(CommitSummary.self, forKey: .commit)
    )
    added = try container.decode([EntityID].self, forKey: .added)
    erased = try container.decode([EntityID].self, forKey: .erased)
    for entity in try container.decode([Changed].self, forKey: .changed) {
      changed.append(entity.id)
      if !entity.keys.isEmpty { keysByEntity[entity.id] = Set(entity.keys) }
    }
    types = Set(try container.decode([EntityType].self, forKey: .types))
    commitCount = try container.decode(Int.self, forKey: .commitCount)
    for entity in try container.decodeIfPresent([Changed].self, forKey: .former) ?? [] {
      formerKeys[entity.id] = Set(entity.keys)
    }
  }

  /// Encodes a change set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Member.self)
    try container.encode(origin, forKey: .origin)
    try container.encode(action, forKey: .action)
    try container.encode(added, forKey: .added)
    try container.encode(erased, forKey: .erased)
    let entities = changed.map { Changed(id: $0, keys: keysByEntity[$0, default: []].sorted()) }
    try container.encode(entities, forKey: .changed)
    try container.encode(types.sorted(), forKey: .types)
    try container.encode(commit, forKey: .commit)
    try container.encode(commitCount, forKey: .commitCount)
    guard !formerKeys.isEmpty else { return }
    let former = (added + erased).compactMap { id in
      formerKeys[id].map { Changed(id: id, keys: $0.sorted()) }
    }
    try container.encode(former, forKey: .former)
  }
}
