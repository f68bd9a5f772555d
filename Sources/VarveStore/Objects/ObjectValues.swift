public import VarveCore

/// What an object stores: property by property, in any order.
public struct ObjectValues {
  /// The values; nil for nothing.
  private(set) var values: [PropertyKey: Value?] = [:]
  /// The links to other objects among them.
  private(set) var links: [any ObjectLink] = []

  /// A property.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable` where it cannot be stored.
  public mutating func set<V: PropertyValue>(_ key: PropertyKey, _ value: V) throws {
    let stored = value.propertyValue
    if stored == nil, !value.isNothing { throw Self.notEncodable(key, "\(value)") }
    try set(key, value: stored)
  }

  /// A property as it is; nil removes it.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable` for what cannot be stored.
  public mutating func set(_ key: PropertyKey, value: Value?) throws {
    do {
      try value?.validate(at: "property \(key)")
    } catch let error as VarveError {
      throw Self.notEncodable(key, error.message)
    }
    try put(key, value)
  }

  /// - Throws: where a property is stored under the same name already: a class and the one above it
  ///   may not know of each other's.
  private mutating func put(_ key: PropertyKey, _ value: Value?) throws {
    guard values.updateValue(value, forKey: key) == nil else {
      throw VarveError(
        .notEncodable,
        "two properties of an object are stored as \"\(key)\", one perhaps of a class above",
        at: "property \(key)",
        remedy: "Give one of them another name to be stored by: @Field(\"…\")."
      )
    }
  }

  /// An object that is saved along.
  public mutating func set<Target>(_ key: PropertyKey, _ child: Child<Target>) throws {
    try put(key, .reference(child.id))
    links.append(child.link)
  }

  /// An object that is saved along, or none.
  public mutating func set<Target>(_ key: PropertyKey, _ child: Child<Target>?) throws {
    if let child { try set(key, child) } else { try put(key, nil) }
  }

  /// Objects that are saved along.
  public mutating func set<Target>(_ key: PropertyKey, _ children: [Child<Target>]) throws {
    try put(key, .array(children.map { .reference($0.id) }))
    for child in children { links.append(child.link) }
  }

  /// A link; what it names is saved along where it is at hand.
  public mutating func set<Target>(_ key: PropertyKey, _ lazy: Lazy<Target>) throws {
    try put(key, lazy.id.map { .reference($0) })
    links.append(lazy.link)
  }

  /// Links; what they name is saved along where it is at hand. One that is empty cannot be among them.
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

  static func notEncodable(_ key: PropertyKey, _ what: String) -> VarveError {
    VarveError(
      .notEncodable,
      "\"\(key)\" cannot be stored: \(what)",
      at: "property \(key)",
      remedy: "Leave it out, or store something else."
    )
  }
}
