public import Foundation
public import VarveCore

/// To-many properties, each change a commit of its own.
extension Store {
  /// Makes a property a to-many one, as a commit of its own. See
  /// ``Transaction/setCollection(_:_:to:as:at:)``.
  @discardableResult
  public func setCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind = .list,
    at time: Date? = nil,
    author: String = "",
    message: String = ""
  ) async throws -> Bool {
    try await write(as: .update, author: author, message: message) {
      try await $0.setCollection(id, key, to: targets, as: kind, at: time)
    }
  }

  /// Adds targets to a to-many property, as a commit of its own. See
  /// ``Transaction/addToCollection(_:_:_:as:at:)``.
  @discardableResult
  public func addToCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    as kind: CollectionKind = .list,
    at time: Date? = nil,
    author: String = "",
    message: String = ""
  ) async throws -> Bool {
    try await write(as: .update, author: author, message: message) {
      try await $0.addToCollection(id, key, targets, as: kind, at: time)
    }
  }

  /// Takes targets out of a to-many property, as a commit of its own. See
  /// ``Transaction/removeFromCollection(_:_:_:at:)``.
  @discardableResult
  public func removeFromCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    at time: Date? = nil,
    author: String = "",
    message: String = ""
  ) async throws -> Bool {
    try await write(as: .update, author: author, message: message) {
      try await $0.removeFromCollection(id, key, targets, at: time)
    }
  }
}
