package import VarveCore

/// A state as text. It is the same for the same state on any backend.
///
/// It lists the types, the live entities in creation order with all their data, and the status,
/// edges and whole history of each given identifier. Commits are named by replica and number, not
/// by hash, so histories played twice agree although their salts differ.
package struct CanonicalExport: Hashable, Sendable, CustomStringConvertible {
  /// The lines.
  package private(set) var lines: [String] = []

  /// Reads a state to the end.
  ///
  /// - Parameter ids: the identifiers to ask for by name, dead and unknown ones among them.
  package init(_ reader: any BackendReader, ids: [EntityID] = []) async throws {
    for (type, count) in try await reader.types() {
      lines.append("type \(quoted(type.text)) \(count)")
      let entities = try await reader.fetch(Query(type))
      if try await reader.count(Query(type)) != entities.count { lines.append("  miscounted") }
      for entity in entities {
        describe(entity)
        try await describeEdges(from: entity.id, reader)
      }
    }
    for id in ids { try await describe(id, reader) }
  }

  /// Reads what a state has under some identifiers, and nothing else of it.
  package init(_ reader: any BackendReader, only ids: [EntityID]) async throws {
    for id in ids {
      if let entity = try await reader.entity(id) {
        lines.append("  type \(quoted(entity.type.text))")
        describe(entity)
      }
      try await describe(id, reader)
      for key in try await reader.collections(of: id) {
        lines.append("    to-many \(quoted(key.text))")
        for element in try await reader.elements(of: id, key: key) {
          lines.append("      \(quoted(element.target.text))")
        }
      }
    }
  }

  /// Reads a state of a backend.
  package init(
    of backend: any Backend,
    at moment: Moment = .now,
    ids: [EntityID] = []
  ) async throws {
    self = try await backend.read(at: moment) { try await CanonicalExport($0, ids: ids) }
  }

  /// The whole text.
  package var description: String { lines.joined(separator: "\n") }

  /// Returns the first difference from another export with the lines before it, or nil if there is
  /// none.
  package func firstDifference(from other: CanonicalExport) -> String? {
    guard self != other else { return nil }
    let same = zip(lines, other.lines).prefix { $0 == $1 }.count
    func line(_ lines: [String]) -> String { same < lines.count ? lines[same] : "(the end)" }
    return
      (lines[max(0, same - 8)..<same].map { "   \($0)" } + [
        "1: \(line(lines))", "2: \(line(other.lines))",
      ]).joined(separator: "\n")
  }
}

extension CanonicalExport {
  private mutating func describe(_ entity: StoredEntity) {
    lines.append(
      "  entity \(quoted(entity.id.text)) datestamp \(text(entity.datestamp))"
        + " modified \(text(entity.modified))"
    )
    for key in entity.keys {
      guard let property = entity.property(key) else { continue }
      lines.append(
        "    \(describe(.value(key, property.value, semanticType: property.semanticType)))"
      )
    }
  }

  private mutating func describeEdges(from id: EntityID, _ reader: any BackendReader) async throws {
    for edge in try await reader.edges(from: id, in: nil) {
      let status = try await reader.status(of: edge.target)
      lines.append("    \(describe(edge.relation)) → \(quoted(edge.target.text)) \(status)")
    }
  }

  private mutating func describe(_ id: EntityID, _ reader: any BackendReader) async throws {
    let status = try await reader.status(of: id)
    let isThere = try await reader.entity(id) != nil
    lines.append("id \(quoted(id.text)) \(status)\(isThere ? ", there" : "")")
    try await describeEdges(from: id, reader)
    for kind in Relation.Kind.allCases {
      for edge in try await reader.edges(to: id, of: kind) {
        let former = edge.isFromFormerLife ? " former" : ""
        let adds = edge.adds.map { $0.commit.map(name) ?? "here" }.joined(separator: " ")
        lines.append(
          "    \(describe(edge.relation)) ← \(quoted(edge.source.text))\(former) by \(adds)"
        )
      }
    }
    for version in inOrder(try await reader.history(of: id, key: nil, limit: nil)) {
      lines.append(
        "    \(text(version.time)) \(name(version.commit.id)) \(quoted(version.author ?? ""))"
          + " \(describe(version.content))"
      )
    }
  }

  /// Sorts cells of one commit and time by key. Lives come after them, in the order in which they
  /// were written.
  private func inOrder(_ versions: [Version]) -> [Version] {
    let order = versions.indices.sorted { left, right in
      let (first, second) = (versions[left], versions[right])
      guard first.time == second.time, first.commit.id == second.commit.id else {
        return left < right
      }
      switch (first.key, second.key) {
      case (let a?, let b?) where a != b: return a < b
      case (.some, nil): return true
      case (nil, .some): return false
      default: return left < right
      }
    }
    return order.map { versions[$0] }
  }

  private func describe(_ content: Cell.Content) -> String {
    switch content {
    case .life(.created(let type, let time)):
      "created \(quoted(type.text)) \(time.map(text) ?? "-")"
    case .life(.recreated(let type, let time)):
      "recreated \(quoted(type.text)) \(time.map(text) ?? "-")"
    case .life(.erased): "erased"
    case .life(.restored): "restored"
    case .value(let key, let value, let semanticType):
      "\(quoted(key.text)) = \(String(hexadecimal: value.encoded)) \(quoted(semanticType))"
    case .removal(let key): "\(quoted(key.text)) removed"
    case .collection(let key): "\(quoted(key.text)) collection"
    case .add(let relation, let target, _, _):
      "add \(describe(relation)) → \(quoted(target.text))"
    case .remove(let relation, let target, _):
      "remove \(describe(relation)) → \(quoted(target.text))"
    }
  }

  private func describe(_ relation: Relation) -> String {
    "\(relation.kind)\(relation.name.text.isEmpty ? "" : " \(quoted(relation.name.text))")"
  }

  private func name(_ commit: CommitID) -> String {
    "\(commit.replica.text.prefix(8))#\(commit.sequence)"
  }

  private func text(_ time: HybridTime) -> String {
    "\(time.millisecondsSince1970).\(time.counter)"
  }

  /// Returns the text with everything but ASCII escaped, because equality of texts is not equality
  /// of bytes.
  private func quoted(_ text: String) -> String {
    "\"" + text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() + "\""
  }
}
