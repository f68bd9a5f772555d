public import VarveCore

/// What is stored of one object, as its class reads it. Valid inside ``StoredObject/init(row:)`` and
/// ``StoredObject/read(_:)``.
///
/// Properties the class does not ask for are passed over.
public struct ObjectRow {
  /// The object's identifier.
  public let id: EntityID
  /// Its kind.
  public let kind: EntityType
  let state: ObjectState
  let links: LinkCollector

  /// The value of a property as it is, or nil.
  public subscript(key: PropertyKey) -> Value? {
    let value = stored(key)
    // Whoever asks may have a default of its own.
    if value == nil { links.usesDefaults = true }
    return value
  }

  @usableFromInline
  func stored(_ key: PropertyKey) -> Value? { links.value(key, of: state) }

  /// A property that must be there, or an optional one.
  ///
  /// - Throws: ``VarveError``: `missingField`; `fieldType` where it has a value of another kind.
  @inlinable
  public func read<V: PropertyValue>(_ key: PropertyKey) throws -> V {
    if let value: V = try present(key) { return value }
    if let nothing = nothing(V.self) { return nothing }
    throw missing(key)
  }

  /// A property, or a default where it is missing.
  @inlinable
  public func read<V: PropertyValue>(
    _ key: PropertyKey,
    default value: @autoclosure () throws -> V
  ) throws -> V {
    try present(key) ?? useDefault(value())
  }

  @inlinable
  func present<V: PropertyValue>(_ key: PropertyKey) throws -> V? {
    guard let value = stored(key) else { return nil }
    if let read = V(propertyValue: value) { return read }
    throw mismatch(key, value, "\(V.self)")
  }

  @usableFromInline
  func useDefault<V>(_ value: V) -> V {
    links.usesDefaults = true
    return value
  }

  @usableFromInline
  func nothing<V>(_ type: V.Type) -> V? {
    (type as? any ExpressibleByNilLiteral.Type).flatMap { $0.init(nilLiteral: ()) as? V }
  }

  // MARK: Errors

  @usableFromInline
  func missing(_ key: PropertyKey) -> VarveError {
    VarveError(
      .missingField,
      "the \(kind) \"\(id)\" has no \"\(key)\"",
      at: "entity \(id), property \(key)",
      remedy: "Make the property optional, or give it a default."
    )
  }

  @usableFromInline
  func mismatch(_ key: PropertyKey, _ value: Value, _ wanted: String) -> VarveError {
    VarveError(
      .fieldType,
      "\"\(key)\" of the \(kind) \"\(id)\" is \(value.kind.name), not \(wanted)",
      at: "entity \(id), property \(key)",
      remedy: "Read it as what it is."
    )
  }
}

// MARK: Other objects

extension ObjectRow {
  /// An object that is loaded along.
  ///
  /// - Throws: ``VarveError``: `missingField`, `fieldType`. One that cannot be loaded makes the whole
  ///   load throw.
  public func read<Target>(_ key: PropertyKey) throws -> Child<Target> {
    if let child: Child<Target> = try child(key) { return child }
    throw missing(key)
  }

  /// An object that is loaded along, or none.
  public func read<Target>(_ key: PropertyKey) throws -> Child<Target>? { try child(key) }

  /// Objects that are loaded along; none where the property is missing.
  public func read<Target>(_ key: PropertyKey) throws -> [Child<Target>] {
    guard let value = self[key] else { return [] }
    guard case .array(let elements) = value else { throw mismatch(key, value, "a list") }
    return try elements.map { element in
      guard let id = EntityID(propertyValue: element) else {
        throw mismatch(key, element, "entity")
      }
      return links.child(id)
    }
  }

  /// An object that is loaded when it is touched; an empty link where the property is missing.
  ///
  /// - Throws: ``VarveError`` with code `fieldType`.
  public func read<Target>(_ key: PropertyKey) throws -> Lazy<Target> {
    guard let id: EntityID = try present(key) else { return Lazy() }
    return links.lazy(id)
  }

  /// Objects that are loaded when they are touched; none where the property is missing.
  public func read<Target>(_ key: PropertyKey) throws -> [Lazy<Target>] {
    guard let value = self[key] else { return [] }
    guard case .array(let elements) = value else { throw mismatch(key, value, "a list") }
    return try elements.map { element in
      guard let id = EntityID(propertyValue: element) else {
        throw mismatch(key, element, "entity")
      }
      return links.lazy(id)
    }
  }

  /// Objects that are loaded along, or a default where the property is missing.
  public func read<Target>(
    _ key: PropertyKey,
    default children: @autoclosure () throws -> [Child<Target>]
  ) throws -> [Child<Target>] {
    self[key] == nil ? useDefault(try children()) : try read(key)
  }

  /// An object that is loaded when it is touched, or a default where the property is missing.
  public func read<Target>(
    _ key: PropertyKey,
    default lazy: @autoclosure () throws -> Lazy<Target>
  ) throws -> Lazy<Target> {
    self[key] == nil ? useDefault(try lazy()) : try read(key)
  }

  /// Objects that are loaded when they are touched, or a default where the property is missing.
  public func read<Target>(
    _ key: PropertyKey,
    default lazies: @autoclosure () throws -> [Lazy<Target>]
  ) throws -> [Lazy<Target>] {
    self[key] == nil ? useDefault(try lazies()) : try read(key)
  }

  private func child<Target>(_ key: PropertyKey) throws -> Child<Target>? {
    guard let id: EntityID = try present(key) else { return nil }
    return links.child(id)
  }
}
