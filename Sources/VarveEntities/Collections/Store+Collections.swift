public import Foundation
public import VarveCore

/// Changes of to-many properties, each in a commit of its own.
extension Store {
  /// Sets the targets of a to-many property, in a commit of its own. See
  /// ``WriteTransaction/setCollection(_:_:to:as:at:)``.
  @discardableResult
  public func setCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    to targets: [EntityID],
    as kind: CollectionKind = .list,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await writeShared(as: .update, author: author, message: message) {
      try await $0.setCollection(id, key, to: targets, as: kind, at: time)
    }
  }

  /// Adds targets to a to-many property, in a commit of its own. See
  /// ``WriteTransaction/addToCollection(_:_:_:as:at:)``.
  @discardableResult
  public func addToCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    as kind: CollectionKind = .list,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await writeShared(as: .update, author: author, message: message) {
      try await $0.addToCollection(id, key, targets, as: kind, at: time)
    }
  }

  /// Removes targets from a to-many property, in a commit of its own. See
  /// ``WriteTransaction/removeFromCollection(_:_:_:at:)``.
  @discardableResult
  public func removeFromCollection(
    _ id: EntityID,
    _ key: PropertyKey,
    _ targets: [EntityID],
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> Bool {
    try await writeShared(as: .update, author: author, message: message) {
      try await $0.removeFromCollection(id, key, targets, at: time)
    }
  }
}
