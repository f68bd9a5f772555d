package import VarveCore

/// A replica that writes exactly the given commits, without any rule.
package struct ScriptedReplica: Sendable {
  package let id: ReplicaID
  /// Its newest commit, which the next one continues.
  package var last: CommitID?

  /// The content of a cell, its entity, and its time if not the commit's.
  package struct Line: Sendable {
    package var entity: EntityID
    package var content: Cell.Content
    package var time: HybridTime?
  }

  /// Creates a replica that writes under a given id.
  package init(_ id: ReplicaID) { self.id = id }

  /// Creates the replica with a number. Greater numbers have greater ids.
  package init(_ number: UInt64) { id = ReplicaID(high: number, low: 0) }

  /// Writes a commit; an add is named by the place of its line.
  package mutating func commit(
    at milliseconds: Int64,
    seen: [CommitID] = [],
    _ lines: [Line]
  ) -> Commit {
    commit(at: milliseconds, seen: seen, lines, redactions: [])
  }

  /// Writes a commit that names cells to be forgotten.
  package mutating func redaction(
    at milliseconds: Int64,
    seen: [CommitID] = [],
    _ redactions: [Redaction]
  ) -> Commit {
    commit(at: milliseconds, seen: seen, [], redactions: redactions)
  }

  /// Writes a commit with the given payloads. Its hashes are valid whatever the payloads contain.
  package mutating func commit(
    at milliseconds: Int64,
    sealing payloads: [[UInt8]],
    kind: CommitHeader.Kind = .ordinary
  ) -> Commit {
    let draft = CommitDraft(header: header(at: milliseconds, seen: []))
    let blocks = payloads.map { Block(sealing: $0) }
    let commit = draft.commit(blocks, ordinalCount: 1, latestTime: nil, kind: kind)
    last = commit.id
    return commit
  }

  private mutating func commit(
    at milliseconds: Int64,
    seen: [CommitID],
    _ lines: [Line],
    redactions: [Redaction]
  ) -> Commit {
    var builder = BlockBuilder()
    for redaction in redactions { _ = builder.add(redaction) }
    for line in lines { _ = builder.add(line.content, entity: line.entity, time: line.time) }
    let header = header(at: milliseconds, seen: seen)
    let (count, latest) = (builder.nextOrdinal, builder.latestTime)
    let blocks = builder.take().payloads().map { Block(sealing: $0) }
    let commit = CommitDraft(header: header).commit(
      blocks,
      ordinalCount: count,
      latestTime: latest,
      kind: redactions.isEmpty ? .ordinary : .redactions
    )
    last = commit.id
    return commit
  }

  private func header(at milliseconds: Int64, seen: [CommitID]) -> CommitHeader {
    CommitHeader(
      replica: id,
      sequence: (last?.sequence ?? 0) + 1,
      time: HybridTime(millisecondsSince1970: milliseconds),
      previous: last?.hash ?? .zero,
      dependencies: seen,
      author: "",
      message: "",
      ordinalCount: 0,
      blockCount: 0,
      blocksDigest: .zero
    )
  }
}

extension EntityID {
  /// Returns a line about the entity.
  package func says(_ content: Cell.Content, at milliseconds: Int64? = nil) -> ScriptedReplica.Line
  {
    let time = milliseconds.map { HybridTime(millisecondsSince1970: $0) }
    return ScriptedReplica.Line(entity: self, content: content, time: time)
  }

  /// Returns a line that creates the entity.
  package func isCreated(_ type: EntityType = "Thing") -> ScriptedReplica.Line {
    says(.life(.created(type, datestamp: nil)))
  }

  /// Returns a line that gives a property a value.
  package func has(_ key: PropertyKey, _ value: Value, at time: Int64? = nil)
    -> ScriptedReplica.Line
  {
    says(.value(key, value, semanticType: value.kind.name), at: time)
  }

  /// Returns the line by which the entity owns another.
  package func owns(_ other: EntityID) -> ScriptedReplica.Line {
    says(.add(Relation(.owns), target: other, position: nil))
  }
}
