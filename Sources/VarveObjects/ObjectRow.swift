public import VarveCore
public import VarveModels

/// The stored values of one object, read by its class. Valid inside ``StoredObject/init(row:)`` and
/// ``StoredObject/read(_:)``.
///
/// Properties that the class does not read are ignored.
public struct ObjectRow {
  /// The object's identifier.
  public let id: EntityID
  /// The object's kind.
  public let kind: EntityType
  let state: ObjectState
  let links: LinkCollector

  /// The value of a property, of any kind; nil if there is none.
  public subscript(key: PropertyKey) -> Value? {
    let value = stored(key)
    // The caller may have a default of its own.
    if value == nil { links.usesDefaults = true }
    return value
  }

  @usableFromInline
  func stored(_ key: PropertyKey) -> Value? { links.value(key, of: state) }

  /// Returns the value of a property; nil if it is missing and the type is optional.
  ///
  /// - Throws: ``VarveError``: `missingField`; `fieldType` if the value is of another kind.
  @inlinable
  public func read<V: PropertyValue>(_ key: PropertyKey) throws -> V {
    if let value: V = try present(key) { return value }
    if let nothing = nothing(V.self) { return nothing }
    throw missing(key)
  }

  /// Returns the value of a property, or a default if it is missing.
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
      remedy: "Make the property optional, or give it a default.",
      entity: id,
      property: key
    )
  }

  @usableFromInline
  func mismatch(_ key: PropertyKey, _ value: Value, _ wanted: String) -> VarveError {
    VarveError(
      .fieldType,
      "\"\(key)\" of the \(kind) \"\(id)\" is \(value.kind.name), not \(wanted)",
      at: "entity \(id), property \(key)",
      remedy: "Read it as its own type.",
      entity: id,
      property: key
    )
  }
}

// MARK: Other objects

extension ObjectRow {
  /// Returns a child, which is loaded with this object.
  ///
  /// - Throws: ``VarveError``: `missingField`, `fieldType`. If the child cannot be loaded, the
  ///   whole load throws.
  public func read<Target>(_ key: PropertyKey) throws -> Child<Target> {
    if let child: Child<Target> = try child(key) { return child }
    throw missing(key)
  }

  /// Returns a child, which is loaded with this object, or nil if the property is missing.
  public func read<Target>(_ key: PropertyKey) throws -> Child<Target>? { try child(key) }

  /// Returns children, which are loaded with this object; none if the property is missing.
  public func read<Target>(_ key: PropertyKey) throws -> [Child<Target>] {
    try targets(key)?.map { links.child($0) } ?? []
  }

  /// Returns children, which are loaded with this object, or nil if the property is missing.
  public func read<Target>(_ key: PropertyKey) throws -> [Child<Target>]? {
    try targets(key)?.map { links.child($0) }
  }

  /// Returns a lazy link; an empty one if the property is missing.
  ///
  /// - Throws: ``VarveError`` with code `fieldType`.
  public func read<Target>(_ key: PropertyKey) throws -> Lazy<Target> {
    guard let id: EntityID = try present(key) else { return Lazy() }
    return links.lazy(id)
  }

  /// Returns a lazy link, or nil if the property is missing.
  ///
  /// - Throws: ``VarveError`` with code `fieldType`.
  public func read<Target>(_ key: PropertyKey) throws -> Lazy<Target>? {
    let id: EntityID? = try present(key)
    return id.map { links.lazy($0) }
  }

  /// Returns lazy links; none if the property is missing.
  public func read<Target>(_ key: PropertyKey) throws -> [Lazy<Target>] {
    try targets(key)?.map { links.lazy($0) } ?? []
  }

  /// Returns lazy links, or nil if the property is missing.
  public func read<Target>(_ key: PropertyKey) throws -> [Lazy<Target>]? {
    try targets(key)?.map { links.lazy($0) }
  }

  /// Returns a child, which is loaded with this object, or a default if the property is missing.
  public func read<Target>(
    _ key: PropertyKey,
    default child: @autoclosure () throws -> Child<Target>
  ) throws -> Child<Target> {
    try self.child(key) ?? useDefault(try child())
  }

  /// Returns children, which are loaded with this object, or a default if the property is missing.
  public func read<Target>(
    _ key: PropertyKey,
    default children: @autoclosure () throws -> [Child<Target>]
  ) throws -> [Child<Target>] {
    self[key] == nil ? useDefault(try children()) : try read(key)
  }

  /// Returns a lazy link, or a default if the property is missing.
  public func read<Target>(
    _ key: PropertyKey,
    default lazy: @autoclosure () throws -> Lazy<Target>
  ) throws -> Lazy<Target> {
    self[key] == nil ? useDefault(try lazy()) : try read(key)
  }

  /// Returns lazy links, or a default if the property is missing.
  public func read<Target>(
    _ key: PropertyKey,
    default lazies: @autoclosure () throws -> [Lazy<Target>]
  ) throws -> [Lazy<Target>] {
    self[key] == nil ? useDefault(try lazies()) : try read(key)
  }

  /// Returns the identifiers in a list of links; nil if the property is missing.
  private func targets(_ key: PropertyKey) throws -> [EntityID]? {
    guard let value = self[key] else { return nil }
    guard case .array(let elements) = value else { throw mismatch(key, value, "a list") }
    return try elements.map { element in
      guard let id = EntityID(propertyValue: element) else {
        throw mismatch(key, element, "entity")
      }
      return id
    }
  }

  private func child<Target>(_ key: PropertyKey) throws -> Child<Target>? {
    guard let id: EntityID = try present(key) else { return nil }
    return links.child(id)
  }
}
