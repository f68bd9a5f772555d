public import Foundation
public import VarveCore

/// Changes of relations and lives in one call, each in a commit of its own.
extension Store {
  /// Relates two entities. See ``WriteTransaction/relate(_:_:_:named:at:)``.
  public func relate(
    _ from: EntityID,
    _ kind: RelationKind,
    _ to: EntityID,
    named name: PropertyKey = "",
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws {
    try await writeShared(as: .relate, author: author, message: message) {
      try await $0.relate(from, kind, to, named: name, at: time)
    }
  }

  /// Removes a relation. See ``WriteTransaction/unrelate(_:_:_:named:orphans:at:)``.
  public func unrelate(
    _ from: EntityID,
    _ kind: RelationKind,
    _ to: EntityID,
    named name: PropertyKey = "",
    orphans: OrphanPolicy? = nil,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws {
    try await writeShared(as: .unrelate, author: author, message: message) {
      try await $0.unrelate(from, kind, to, named: name, orphans: orphans, at: time)
    }
  }

  /// Erases entities and what they alone own; returns everything that died. See
  /// ``WriteTransaction/erase(_:strict:at:)-([EntityID],_,_)``.
  @discardableResult
  public func erase(
    _ ids: [EntityID],
    strict isStrict: Bool = false,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await writeShared(as: .erase, author: author, message: message) {
      try await $0.erase(ids, strict: isStrict, at: time)
    }
  }

  /// Erases an entity and what it alone owns; returns everything that died.
  @discardableResult
  public func erase(
    _ id: EntityID,
    strict isStrict: Bool = false,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await erase([id], strict: isStrict, at: time, author: author, message: message)
  }

  /// Restores an entity; returns everything that came back to life. See
  /// ``WriteTransaction/restore(_:_:at:)``.
  @discardableResult
  public func restore(
    _ id: EntityID,
    _ mode: RestoreMode = .ifOwned,
    at time: Date? = nil,
    author: String? = nil,
    message: String? = nil
  ) async throws -> [EntityID] {
    try await writeShared(as: .restore, author: author, message: message) {
      try await $0.restore(id, mode, at: time)
    }
  }
}
