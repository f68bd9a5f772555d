package import VarveCore
package import VarveStore

extension CheckReport {
  /// The report as JSON.
  package var json: JSON {
    [
      "clean": .bool(isClean), "commits": .count(commitCount), "blocks": .count(blockCount),
      "entities": .count(entityCount), "partial": .count(partialCount),
      "findings": .array(findings.map(JSON.string)),
    ]
  }
}

extension Conflict {
  /// The conflict as JSON: its versions, the current one first; for a death, the erased entities
  /// that caused it.
  package var json: JSON {
    [
      "kind": .string(kind.rawValue), "id": .string(entity.text), "key": .optional(key?.text),
      "versions": .array(versions.map(\.json)), "erased": erased.json,
    ]
  }
}

extension ErasurePreview {
  /// The preview as JSON.
  package var json: JSON {
    [
      "wouldErase": .array(
        deaths.map {
          [
            "id": .string($0.id.text), "type": .string($0.type.text), "named": .bool($0.isNamed),
            "owners": $0.owners.json,
          ]
        }
      ),
      "wouldSurvive": .array(
        survivors.map {
          ["id": .string($0.id.text), "type": .string($0.type.text), "owners": $0.owners.json]
        }
      ),
      "missing": missing.json,
    ]
  }
}

extension MergeReport {
  /// The report as JSON.
  package var json: JSON {
    [
      "commits": .count(commitCount), "withheld": .count(withheldCount), "died": died.json,
      "completed": .count(completedCount), "heldBack": .count(heldBackCount),
      "replacedReplica": .optional(replacedReplica?.text),
    ]
  }

  /// Returns the report with the names of the stores.
  package func json(from: String, into: String) -> JSON {
    guard case .object(let members) = json else { return json }
    let names: [JSON.Member] = [
      .init(name: "from", value: .string(from)), .init(name: "into", value: .string(into)),
    ]
    return .object(names + members)
  }
}
