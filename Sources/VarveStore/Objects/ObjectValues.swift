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
    values[key] = .some(value)
  }

  /// An object that is saved along.
  public mutating func set<Target>(_ key: PropertyKey, _ child: Child<Target>) throws {
    values[key] = .reference(child.id)
    links.append(child.link)
  }

  /// An object that is saved along, or none.
  public mutating func set<Target>(_ key: PropertyKey, _ child: Child<Target>?) throws {
    if let child { try set(key, child) } else { values[key] = .some(nil) }
  }

  /// Objects that are saved along.
  public mutating func set<Target>(_ key: PropertyKey, _ children: [Child<Target>]) throws {
    values[key] = .array(children.map { .reference($0.id) })
    for child in children { links.append(child.link) }
  }

  /// A link; what it names is saved along where it is at hand.
  public mutating func set<Target>(_ key: PropertyKey, _ lazy: Lazy<Target>) throws {
    values[key] = .some(lazy.id.map { .reference($0) })
    links.append(lazy.link)
  }

  /// Links; what they name is saved along where it is at hand. One that is empty cannot be among them.
  ///
  /// - Throws: ``VarveError`` with code `notEncodable`.
  public mutating func set<Target>(_ key: PropertyKey, _ lazies: [Lazy<Target>]) throws {
    values[key] = .array(
      try lazies.map { lazy in
        guard let id = lazy.id else { throw Self.notEncodable(key, "a link in the list is empty") }
        return .reference(id)
      }
    )
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
