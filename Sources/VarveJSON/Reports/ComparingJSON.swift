import VarveCore
package import VarveStore

extension Difference {
  /// The difference as JSON.
  package var json: JSON {
    [
      "added": .array(added.map(\.json)), "changed": .array(changed.map(\.json)),
      "ended": .array(ended.map(\.json)),
    ]
  }
}

extension CommitChanges {
  /// The commit with what it changed: how many entities, and the first of them.
  package func json(limit: Int) -> JSON {
    guard case .object(let members) = commit.json else { preconditionFailure("is an object") }
    var left = limit
    func first(_ entities: [EntityDifference]) -> JSON {
      defer { left -= min(left, entities.count) }
      return .array(entities.prefix(left).map(\.json))
    }
    return .object(
      members + [
        .init(name: "undone", value: .optional(commit.undone?.hash.hexadecimal)),
        .init(name: "seen", value: basis.json["frontier"] ?? .null),
        .init(
          name: "counts",
          value: [
            "added": .count(difference.added.count), "changed": .count(difference.changed.count),
            "ended": .count(difference.ended.count),
          ]
        ),
        .init(name: "changed", value: first(difference.changed)),
        .init(name: "ended", value: first(difference.ended)),
        .init(name: "added", value: first(difference.added)),
      ]
    )
  }
}

extension EntityDifference {
  /// The difference of one entity: `old` and `new` of each property and collection, null if there
  /// is none.
  package var json: JSON {
    let former = formerType.map { [JSON.Member(name: "formerType", value: .string($0.text))] } ?? []
    let dates =
      datestamp.map { [JSON.Member(name: "datestamp", value: $0.json)] } ?? []
    return .object(
      [
        .init(name: "id", value: .string(id.text)), .init(name: "type", value: .string(type.text)),
      ] + former + dates + [
        .init(name: "properties", value: .object(properties.map(\.member))),
        .init(name: "collections", value: .object(collections.map(\.member))),
        .init(name: "related", value: .array(related.map { $0.relation.json(to: $0.target) })),
        .init(name: "unrelated", value: .array(unrelated.map { $0.relation.json(to: $0.target) })),
      ] + (dead.isEmpty ? [] : [.init(name: "dead", value: dead.json)])
    )
  }
}

extension DatestampDifference {
  fileprivate var json: JSON {
    [
      "old": .string(DateWriter.exact(old)), "new": .string(DateWriter.exact(new)),
    ]
  }
}

extension PropertyDifference {
  fileprivate var member: JSON.Member {
    .init(name: key.text, value: ["old": old?.json ?? .null, "new": new?.json ?? .null])
  }
}

extension ElementsDifference {
  fileprivate var member: JSON.Member {
    .init(name: key.text, value: ["old": old?.json ?? .null, "new": new?.json ?? .null])
  }
}

extension UndoReport {
  /// The report as JSON.
  package var json: JSON {
    [
      "commit": commit?.json ?? .null,
      "properties": .array(
        properties.map { ["id": .string($0.entity.text), "key": .string($0.key.text)] }
      ),
      "erased": erased.json, "restored": restored.json,
      "related": .array(related.map(\.json)), "unrelated": .array(unrelated.map(\.json)),
      "skipped": .array(skipped.map(\.json)),
    ]
  }
}

extension UndoReport.EdgeName {
  fileprivate var json: JSON { relation.json(to: target, from: source) }
}

extension UndoReport.Skipped {
  fileprivate var json: JSON {
    [
      "id": .string(entity.text), "key": .optional(key?.text),
      "relation": edge?.json ?? .null, "reason": .string(reason.rawValue),
      "changedBy": changedBy?.json ?? .null,
    ]
  }
}

extension Relation {
  /// Returns the relation with its target and, if needed, its source.
  fileprivate func json(to target: EntityID, from source: EntityID? = nil) -> JSON {
    let word = kind == .owns ? "owns" : (kind == .free ? "free" : "member")
    let from = source.map { [JSON.Member(name: "from", value: .string($0.text))] } ?? []
    return .object(
      from + [
        .init(name: "kind", value: .string(word)), .init(name: "to", value: .string(target.text)),
        .init(name: "named", value: .string(name.text)),
      ]
    )
  }
}
