package import VarveCore

/// The results of commands and operations as JSON.
extension StoredEntity {
  /// The entity with all its properties.
  package var json: JSON {
    [
      "id": .string(id.text),
      "type": .string(type.text),
      "datestamp": .string(DateWriter.exact(datestamp)),
      "modified": .string(DateWriter.exact(modified)),
      "properties": .object(
        keys.compactMap { key in
          property(key).map { JSON.Member(name: key.text, value: $0.json) }
        }
      ),
    ]
  }
}

extension CommitSummary {
  /// The commit without its cells; `redacts` only if it does, `handedOverBy` only if that is not
  /// the author.
  package var json: JSON {
    let redacts = kind == .redactions ? [JSON.Member(name: "redacts", value: true)] : []
    guard case .object(let members) = header else { preconditionFailure("is an object") }
    return .object(members + redacts + handMembers)
  }

  /// Who handed the commit over, if that is not its author.
  fileprivate var handMembers: [JSON.Member] {
    foreignHand.map { [JSON.Member(name: "handedOverBy", value: .string($0))] } ?? []
  }

  private var header: JSON {
    [
      "hash": .string(id.hash.hexadecimal),
      "replica": .string(id.replica.text),
      "sequence": .integer(id.sequence),
      "time": .string(DateWriter.exact(time)),
      "author": .string(author ?? ""),
      "message": .string(message ?? ""),
      "operations": .count(operationCount),
    ]
  }
}

extension Version {
  /// One cell of a history; `handedOverBy` only if that is not the author.
  package var json: JSON {
    guard case .object(let members) = cell else { preconditionFailure("is an object") }
    return .object(members + commit.handMembers)
  }

  private var cell: JSON {
    [
      "change": .string(content.name),
      "key": .optional(content.subject),
      "value": content.json,
      "time": .string(DateWriter.exact(time)),
      "author": .string(author ?? ""),
      "message": .string(commit.message ?? ""),
      "commit": .string(commit.id.hash.hexadecimal),
    ]
  }
}

extension Cell.Content {
  /// The name of the change.
  package var name: String {
    switch self {
    case .life(.created): "created"
    case .life(.recreated): "recreated"
    case .life(.erased): "erased"
    case .life(.restored): "restored"
    case .value: "set"
    case .removal: "removed"
    case .collection: "collection"
    case .add: "related"
    case .remove: "unrelated"
    }
  }

  /// The property or relation that the cell concerns.
  package var subject: String? {
    switch self {
    case .life: nil
    case .value(let key, _, _), .removal(let key), .collection(let key): key.text
    case .add(let relation, _, _, _), .remove(let relation, _, _): relation.shown
    }
  }

  fileprivate var json: JSON {
    switch self {
    case .life(.created(let type, _)), .life(.recreated(let type, _)): .string(type.text)
    case .life, .removal, .collection: .null
    case .value(_, let value, let semanticType):
      StoredEntity.Property(value, semanticType: semanticType).json
    case .add(_, let target, _, _), .remove(_, let target, _): Value.reference(target).json
    }
  }
}

extension Relation {
  /// The kind, and the name if there is one. A property's elements are named by its key.
  var shown: String {
    switch kind {
    case .owns: name.text.isEmpty ? "owns" : "owns \(name)"
    case .free: name.text.isEmpty ? "free" : "free \(name)"
    case .member: name.text
    }
  }
}
