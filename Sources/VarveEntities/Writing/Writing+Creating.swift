public import Foundation
public import VarveCore

extension Writing {
  /// Creates an entity.
  ///
  /// If the identifier was erased, or died with its owners, the entity is created anew: it starts
  /// without its former properties and ownership, its history continues, and references to it
  /// resolve again.
  ///
  /// ```swift
  /// let id = try await tx.create("Hat", ["color": "red", "brim_size": 12])
  /// ```
  ///
  /// No key is reserved. A property called `identifier`, `type` or `datestamp` is an ordinary
  /// property, and takes precedence over the entity's own when read by name
  /// (`Reading.properties(_:of:)`). References behave differently when they create: see
  /// `EntityReference.creating(_:prototype:_:)`. Both are in the module `VarveReferences`.
  ///
  /// - Parameters:
  ///   - type: the type label.
  ///   - id: the identifier; a new one if nil.
  ///   - properties: the first values.
  ///   - time: when the values begin to hold, which is also the entity's datestamp; nil for the
  ///     time of the transaction.
  /// - Returns: the identifier.
  /// - Throws: ``VarveError``: `duplicateIdentifier` if the identifier is live, `valueTooLarge`,
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

  /// Creates an entity whose properties have semantic types. See ``create(_:id:_:at:)``.
  ///
  /// - Throws: as ``create(_:id:_:at:)``; `invalidArgument` also for an empty semantic type.
  /// - Complexity: O(properties × log entities).
  @discardableResult
  public func create(
    _ type: EntityType,
    id: EntityID? = nil,
    properties: [PropertyKey: StoredEntity.Property],
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
    try await perform(as: .create) { try await $0.create(type, id: id, changes, at: time) }
    return id
  }

  /// Creates many entities of one type, faster than one by one.
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
  ///   - rows: an identifier, and a value or nil for each key. The sequence is read once and must
  ///     not use the transaction.
  ///   - time: when the values begin to hold; nil for the time of the transaction.
  /// - Throws: ``VarveError``: as ``create(_:id:_:at:)``, and `invalidArgument` if a key is
  ///   repeated or a row has a different number of values. Rows before it may have been written,
  ///   but the whole write fails.
  /// - Complexity: O(values), and O(log entities) for each row.
  @inlinable
  public func create(
    _ type: EntityType,
    keys: [PropertyKey],
    rows: some Sequence<(EntityID, [Value?])>,
    at time: Date? = nil
  ) async throws {
    var rows = rows.makeIterator()
    try await create(type, keys: keys, at: time) { $0.take(from: &rows) }
  }

  /// Creates many entities as ``create(_:keys:rows:at:)`` does.
  ///
  /// - Parameter next: adds the next rows; none at the end.
  @usableFromInline
  func create(
    _ type: EntityType,
    keys: [PropertyKey],
    at time: Date?,
    next: (inout [(EntityID, [Value?])]) -> Void
  ) async throws {
    let time = try time.map { try HybridTime(instant: $0) }
    try await perform(as: .create) { try await $0.create(type, keys: keys, at: time, next: next) }
  }

  /// Creates many entities as ``create(_:keys:rows:at:)`` does. Returns those whose identifiers
  /// some commit contains already.
  ///
  /// - Parameters:
  ///   - ids: the identifiers.
  ///   - values: for each identifier in turn, a value or nothing for each key.
  package func createRows(
    _ type: EntityType,
    keys: [PropertyKey],
    ids: [EntityID],
    values: PackedValues
  ) async throws -> [EntityID] {
    try await perform(as: .create) {
      try await $0.create(type, keys: keys, ids: ids, values: values, at: nil)
    }
  }
}

/// The rows of many creations. They are collected by code that is inlined into the caller's module,
/// where the type of the sequence is known: each step through an unknown type looks up its metadata.
extension [(EntityID, [Value?])] {
  /// The number of rows that are passed on together.
  @usableFromInline static var rowCount: Int { 64 }

  /// Adds the next rows.
  @inlinable
  mutating func take(from rows: inout some IteratorProtocol<(EntityID, [Value?])>) {
    while count < Self.rowCount, let row = rows.next() { append(row) }
  }
}

extension [PropertyChange] {
  /// Returns the changes in byte order of their keys.
  static func sorted(_ properties: [PropertyKey: Value]) -> [PropertyChange] {
    sorted(properties) { PropertyChange(key: $0, value: $1) }
  }

  package static func sorted(_ properties: [PropertyKey: StoredEntity.Property]) -> [PropertyChange]
  {
    sorted(properties) { PropertyChange(key: $0, property: $1) }
  }

  package static func sorted(_ properties: [PropertyKey: Value?]) -> [PropertyChange] {
    sorted(properties) { PropertyChange(key: $0, value: $1) }
  }

  static func sorted(_ properties: [PropertyKey: StoredEntity.Property?]) -> [PropertyChange] {
    sorted(properties) { PropertyChange(key: $0, property: $1) }
  }

  private static func sorted<Content>(
    _ contents: [PropertyKey: Content],
    _ change: (PropertyKey, Content) -> PropertyChange
  ) -> [PropertyChange] {
    var changes: [PropertyChange] = []
    changes.reserveCapacity(contents.count)
    for (key, content) in contents { changes.append(change(key, content)) }
    changes.sortByKey()
    return changes
  }

  /// Sorts the places of the changes, and then moves each change once. Most keys differ in their
  /// first bytes, which compare as one number.
  private mutating func sortByKey() {
    var places = indices.map { (start: self[$0].key.start, place: $0) }
    places.sort { one, two in
      one.start != two.start ? one.start < two.start : self[one.place].key < self[two.place].key
    }
    withUnsafeMutableBufferPointer { changes in
      for index in places.indices {
        // What was there has been swapped with a later place, perhaps more than once.
        var place = places[index].place
        while place < index { place = places[place].place }
        changes.swapAt(index, place)
      }
    }
  }
}

extension PropertyKey {
  /// The first eight bytes as a number. Keys are in the order of these numbers, where they differ.
  fileprivate var start: UInt64 {
    var text = text
    return text.withUTF8 { utf8 in
      var start: UInt64 = 0
      let first = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: utf8.prefix(8)))
      withUnsafeMutableBytes(of: &start) { $0.copyMemory(from: first) }
      return UInt64(bigEndian: start)
    }
  }
}
