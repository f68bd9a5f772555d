package import VarveCore
package import VarveStore

extension CheckReport {
  /// The report for programs.
  package var json: JSON {
    [
      "clean": .bool(isClean), "commits": .count(commitCount), "blocks": .count(blockCount),
      "entities": .count(entityCount), "findings": .array(findings.map(JSON.string)),
    ]
  }
}

extension Conflict {
  /// The conflict for programs: the versions, the one that holds first; of a death, what the entity
  /// died with.
  package var json: JSON {
    [
      "kind": .string(kind.rawValue), "id": .string(entity.text), "key": .optional(key?.text),
      "versions": .array(versions.map(\.json)), "erased": erased.json,
    ]
  }
}

extension MergeReport {
  /// The report for programs.
  package var json: JSON {
    [
      "commits": .count(commitCount), "withheld": .count(withheldCount), "died": died.json,
      "replacedReplica": .optional(replacedReplica?.text),
    ]
  }

  /// The report with the names of the stores.
  package func json(from: String, into: String) -> JSON {
    guard case .object(let members) = json else { return json }
    let names: [JSON.Member] = [
      .init(name: "from", value: .string(from)), .init(name: "into", value: .string(into)),
    ]
    return .object(names + members)
  }
}
