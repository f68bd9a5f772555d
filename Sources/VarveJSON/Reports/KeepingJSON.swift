package import VarveCore
package import VarveStore

extension CheckReport {
  /// The report as JSON.
  package var json: JSON { .object(members) }

  /// Returns the report as JSON, with the commits that are ahead of the clock.
  package func json(_ ahead: [CommitsAhead]) -> JSON {
    .object(members + [JSON.Member(name: "ahead", value: .array(ahead.map(\.json)))])
  }

  private var members: [JSON.Member] {
    [
      JSON.Member(name: "clean", value: .bool(isClean)),
      JSON.Member(name: "commits", value: .count(commitCount)),
      JSON.Member(name: "blocks", value: .count(blockCount)),
      JSON.Member(name: "entities", value: .count(entityCount)),
      JSON.Member(name: "partial", value: .count(partialCount)),
      JSON.Member(name: "findings", value: .array(findings.map(JSON.string))),
    ] + (signatures.map { [JSON.Member(name: "signatures", value: $0.json)] } ?? [])
  }
}

extension SignatureCounts {
  /// The counts as JSON.
  package var json: JSON {
    [
      "signed": .count(signedCount), "unsigned": .count(unsignedCount),
      "waiting": .count(waitingCount), "void": .count(voidCount),
    ]
  }
}

extension CommitsAhead {
  /// The commits as JSON.
  package var json: JSON {
    [
      "replica": .string(replica.text), "commits": .count(commitCount),
      "until": .optional(DateWriter.exact(until)), "withheld": .bool(isWithheld),
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
      "completed": .count(completedCount), "partial": .count(partialCount),
      "heldBack": .count(heldBackCount),
      "replacedReplica": .optional(replacedReplica?.text), "wasRetired": .bool(wasRetired),
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
