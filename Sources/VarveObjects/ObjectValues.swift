public import VarveCore
public import VarveModels

/// The values of an object to store, set by property in any order.
public struct ObjectValues {
  /// The values; nil for properties without a value.
  private(set) var values: [PropertyKey: Value?] = [:]
  /// The links to other objects.
  private(set) var links: [any ObjectLink] = []
  /// The properties whose targets are owned.
  private(set) var owning: Set<PropertyKey> = []

  /// Sets a property.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable` if the value cannot be stored.
  public mutating func set<V: PropertyValue>(_ key: PropertyKey, _ value: V) throws {
    let stored = value.propertyValue
    if stored == nil, !value.isNothing { throw Self.notEncodable(key, "\(value)") }
    try set(key, value: stored)
  }

  /// Sets a property to a value of any kind; nil removes it.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable` if the value cannot be stored.
  public mutating func set(_ key: PropertyKey, value: Value?) throws {
    do {
      try value?.validate(at: "property \(key)")
    } catch let error as VarveError {
      throw Self.notEncodable(key, error.message)
    }
    try put(key, value)
  }

  /// - Throws: `notEncodable` if the name is empty, which marks an entity that is a single value,
  ///   or if another property has it: a class and its superclass may not know each other's names.
  private mutating func put(_ key: PropertyKey, _ value: Value?) throws {
    guard !key.text.isEmpty else { throw Self.notEncodable(key, "its name is empty") }
    guard values.updateValue(value, forKey: key) == nil else {
      throw VarveError(
        .notEncodable,
        "two properties of an object are stored as \"\(key)\", perhaps one of a superclass",
        at: "property \(key)",
        remedy: "Give one of them another name to be stored by: @Field(\"…\")."
      )
    }
  }

  /// Sets a child, which is saved with this object.
  public mutating func set<Target>(_ key: PropertyKey, _ child: Child<Target>) throws {
    try put(key, .reference(child.id))
    links.append(child.link)
  }

  /// Sets a child, which is saved with this object, or removes it if it is nil.
  public mutating func set<Target>(_ key: PropertyKey, _ child: Child<Target>?) throws {
    if let child { try set(key, child) } else { try put(key, nil) }
  }

  /// Sets children, which are saved with this object.
  public mutating func set<Target>(_ key: PropertyKey, _ children: [Child<Target>]) throws {
    try put(key, .array(children.map { .reference($0.id) }))
    for child in children { links.append(child.link) }
  }

  /// Sets a link. Its target is saved with this object if it is in memory.
  public mutating func set<Target>(_ key: PropertyKey, _ lazy: Lazy<Target>) throws {
    try put(key, lazy.id.map { .reference($0) })
    links.append(lazy.link)
  }

  /// Sets links. Their targets are saved with this object if they are in memory. None of the links
  /// may be empty.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable`.
  public mutating func set<Target>(_ key: PropertyKey, _ lazies: [Lazy<Target>]) throws {
    let references = try lazies.map { lazy in
      guard let id = lazy.id else { throw Self.notEncodable(key, "a link in the list is empty") }
      return Value.reference(id)
    }
    try put(key, .array(references))
    for lazy in lazies { links.append(lazy.link) }
  }

  /// Sets children, which are saved with this object, or removes the property if they are nil.
  public mutating func set<Target>(_ key: PropertyKey, _ children: [Child<Target>]?) throws {
    if let children { try set(key, children) } else { try put(key, nil) }
  }

  /// Sets a link, or removes the property if it is nil. An empty link is stored as nil.
  public mutating func set<Target>(_ key: PropertyKey, _ lazy: Lazy<Target>?) throws {
    if let lazy { try set(key, lazy) } else { try put(key, nil) }
  }

  /// Sets links, or removes the property if they are nil. None of the links may be empty.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable`.
  public mutating func set<Target>(_ key: PropertyKey, _ lazies: [Lazy<Target>]?) throws {
    if let lazies { try set(key, lazies) } else { try put(key, nil) }
  }

  /// Makes the object own the targets of a property's links: each dies with its last owner. An
  /// owned object that is no longer linked to is given up, and lives on unless an orphan policy
  /// ends it.
  public mutating func own(_ key: PropertyKey) { owning.insert(key) }

  static func notEncodable(_ key: PropertyKey, _ what: String) -> VarveError {
    VarveError(
      .notEncodable,
      "\"\(key)\" cannot be stored: \(what)",
      at: "property \(key)",
      remedy: "Leave it out, or store something else."
    )
  }
}
