public import Foundation
public import VarveCore

extension Transaction {
  /// Adds an entity.
  ///
  /// Under an identifier that was erased, or died with its owners, the entity is created anew: it
  /// starts without properties and without ownership from before, its history goes on, and
  /// references to it resolve again.
  ///
  /// ```swift
  /// let id = try await tx.create("Hat", ["color": "red", "brim_size": 12])
  /// ```
  ///
  /// No key is reserved: a property called `identifier`, `type` or `datestamp` is one like any other,
  /// and comes before the entity's own where these are asked for by name
  /// (``Reading/properties(_:of:)``). References that create differ: see
  /// ``EntityReference/creating(_:prototype:_:)``.
  ///
  /// - Parameters:
  ///   - type: the type label.
  ///   - id: the identifier; a new one if nil.
  ///   - properties: its first values.
  ///   - time: when they hold from, if not from the time of the transaction. Also the entity's
  ///     datestamp.
  /// - Returns: the identifier.
  /// - Throws: ``VarveError``: `duplicateIdentifier` where it is live, `valueTooLarge`,
  ///   `unsupportedValue`, `timeOutOfRange`, `invalidArgument` for a name over 64 KiB.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func create(
    _ type: EntityType,
    id: EntityID? = nil,
    _ properties: [PropertyKey: Value] = [:],
    at time: Date? = nil
  ) async throws -> EntityID {
    try await create(type, id: id, changes: .sorted(properties), at: time)
  }

  /// Adds an entity whose properties have semantic types. See ``create(_:id:_:at:)``.
  ///
  /// - Throws: as ``create(_:id:_:at:)``; `invalidArgument` also for an empty semantic type.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func create(
    _ type: EntityType,
    id: EntityID? = nil,
    properties: [PropertyKey: Entity.Property],
    at time: Date? = nil
  ) async throws -> EntityID {
    try await create(type, id: id, changes: .sorted(properties), at: time)
  }

  private func create(
    _ type: EntityType,
    id: EntityID?,
    changes: [PropertyChange],
    at time: Date?
  ) async throws -> EntityID {
    let time = try time.map { try HybridTime(instant: $0) }
    let id = id ?? .new()
    try await perform { try await $0.create(type, id: id, changes, at: time) }
    return id
  }

  /// Adds many entities of one type: the fast way.
  ///
  /// ```swift
  /// try await tx.create(
  ///   "Hat", keys: ["color", "brim_size"],
  ///   rows: hats.map { (.new(), [.string($0.color), .int($0.brim)]) })
  /// ```
  ///
  /// - Parameters:
  ///   - type: the type label.
  ///   - keys: the properties, each once.
  ///   - rows: an identifier, and a value or nil for each key. Read once, while the transaction
  ///     is held: the sequence must not use it.
  ///   - time: when the values hold from, if not from the time of the transaction.
  /// - Throws: ``VarveError``: as ``create(_:id:_:at:)``, and `invalidArgument` where a key stands
  ///   twice or a row has another number of values. Rows before it may be written by then; the
  ///   whole write fails.
  /// - Complexity: O(values), and O(log entities) for each row.
  public func create(
    _ type: EntityType,
    keys: [PropertyKey],
    rows: some Sequence<(EntityID, [Value?])>,
    at time: Date? = nil
  ) async throws {
    let time = try time.map { try HybridTime(instant: $0) }
    try await perform { try await $0.create(type, keys: keys, rows: rows, at: time) }
  }
}

extension [PropertyChange] {
  /// Changes in byte order of their keys.
  static func sorted(_ properties: [PropertyKey: Value]) -> [PropertyChange] {
    sorted(properties) { .init($0) }
  }

  static func sorted(_ properties: [PropertyKey: Entity.Property]) -> [PropertyChange] {
    sorted(properties) { $0 }
  }

  static func sorted(_ changes: [PropertyKey: Value?]) -> [PropertyChange] {
    sorted(changes) { value in value.map { .init($0) } }
  }

  static func sorted(_ changes: [PropertyKey: Entity.Property?]) -> [PropertyChange] {
    sorted(changes) { $0 }
  }

  /// Puts the keys in order, then makes each change in its place: sorting moves what it sorts.
  private static func sorted<Content>(
    _ contents: [PropertyKey: Content],
    _ property: (Content) -> Entity.Property?
  ) -> [PropertyChange] {
    let places = contents.indices.map { (key: contents[$0].key, place: $0) }
      .sorted { $0.key < $1.key }
    return places.map { key, place in
      PropertyChange(key: key, property: property(contents[place].value))
    }
  }
}
