package import VarveStore

extension StoreIssue {
  /// The issue as JSON; `kind` is its case.
  package var json: JSON {
    switch self {
    case .duplicate(let duplicate):
      [
        "kind": "duplicate", "type": .string(duplicate.type.text),
        "keys": .array(duplicate.keys.map { .string($0.text) }),
        "values": .array(duplicate.values.map { $0?.json ?? .null }),
        "ids": duplicate.entities.json,
      ]
    case .broken(let broken):
      [
        "kind": "broken", "type": .string(broken.type.text), "id": .string(broken.entity.text),
        "violations": .array(
          broken.violations.map { ["key": .string($0.key), "message": .string($0.message)] }
        ),
      ]
    case .unreadable(let row):
      [
        "kind": "unreadable", "type": .string(row.type.text), "id": .string(row.id.text),
        "reason": .string(row.description),
      ]
    case .ownerlessCycle(let cycle):
      ["kind": "ownerlessCycle", "ids": cycle.members.json]
    case .disagreement(let disagreement):
      [
        "kind": "disagreement", "id": .string(disagreement.entity.text),
        "key": .string(disagreement.key.text), "relation": .string(disagreement.relation.shown),
        "reference": disagreement.reference.map { .string($0.text) } ?? .null,
        "ids": disagreement.related.json,
      ]
    case .repetition(let repetition):
      [
        "kind": "repetition", "id": .string(repetition.entity.text),
        "key": .string(repetition.key.text), "target": .string(repetition.target.text),
        "count": .count(repetition.count), "meant": .count(repetition.meantCount),
      ]
    case .unknownKey(let unknown):
      [
        "kind": "unknownKey", "type": .string(unknown.type.text),
        "key": .string(unknown.key.text), "entities": .count(unknown.entityCount),
      ]
    }
  }
}

extension DuplicateMerge {
  /// The result of merging duplicates, as JSON.
  package var json: JSON {
    [
      "into": .string(kept.text), "erased": erased.json,
      "properties": .array(properties.map { .string($0.text) }),
      "references": .count(referenceCount), "relations": .count(relationCount),
    ]
  }
}
