package import VarveCore

extension BackendReader {
  /// Returns the error for an entity that is not live, with the reason.
  package func absence(of id: EntityID) async throws -> VarveError {
    try await absence(of: id, status: status(of: id))
  }

  package func absence(of id: EntityID, status: EntityStatus) async throws -> VarveError {
    let place = "entity \(id)"
    switch status {
    case .unknown:
      return VarveError(
        .notFound,
        "no entity \"\(id)\" is known",
        at: place,
        remedy: "Check the identifier, or create the entity first.",
        entity: id
      )
    case .erased:
      return VarveError(
        .notFound,
        "the entity \"\(id)\" is erased",
        at: place,
        remedy: "Restore it, or create it again.",
        entity: id
      )
    case .dead:
      let names = try await owners(of: id)
      return VarveError(
        .notFound,
        "the entity \"\(id)\" is dead with \(names)",
        at: place,
        remedy: "Restore what owns it, or restore it with its owners or as a root.",
        entity: id
      )
    case .live:
      return VarveError(
        .notFound,
        "the entity \"\(id)\" is not readable",
        at: place,
        remedy: "Run check; its history has its values.",
        entity: id
      )
    }
  }

  /// Returns a description of an entity's owners, naming at most three.
  func owners(of id: EntityID) async throws -> String {
    var owners: [EntityID] = []
    for edge in try await edges(to: id, of: .owns) where !owners.contains(edge.source) {
      owners.append(edge.source)
    }
    let names = owners.prefix(3).map { "\"\($0)\"" }.joined(separator: ", ")
    guard owners.count > 3 else {
      return owners.isEmpty ? "its owners" : "its owner\(owners.count > 1 ? "s" : "") \(names)"
    }
    return "its owners \(names) and \(owners.count - 3) more"
  }
}
