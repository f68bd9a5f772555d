public import VarveCore

/// Mappings by name, with the transforms and default transforms they share.
///
/// ```swift
/// var mappings = Mappings([book, author])
/// mappings.defaults[.date] = .date("yyyy-MM-dd")
/// mappings.roots = [.init(at: "/books", as: "Book")]
/// ```
public struct Mappings: Sendable {
  /// A part of a document, and its mapping.
  public struct Root: Hashable, Sendable {
    /// The path of the objects, as a JSON pointer (RFC 6901): `""` is the document.
    public var pointer: String
    /// The name of their mapping.
    public var mapping: String
    /// The member of the objects that has their name, if the document has an object here whose
    /// members are the objects. See ``ToMany/keyed(by:)``.
    public var keyedBy: String?

    /// Creates a root for a part of a document.
    public init(at pointer: String = "", as mapping: String, keyedBy: String? = nil) {
      self.pointer = pointer
      self.mapping = mapping
      self.keyedBy = keyedBy
    }
  }

  private var byName: [String: Mapping] = [:]
  /// The names, in the order in which they were first added.
  public private(set) var names: [String] = []
  /// The mapped parts of a document, for calls that name none.
  public var roots: [Root] = []
  /// Transforms by name, in addition to the built-in ones.
  public var transforms: [String: ValueTransform] = [:]
  /// The transforms of values by their declared kind, used if the attribute's own changes nothing.
  public var defaults: [Value.Kind: ValueTransform] = [:]
  /// The transforms for writing, by kind; by default the reverse of ``defaults``.
  public var reverseDefaults: [Value.Kind: ValueTransform] = [:]

  /// Combines mappings; of those with equal names the last counts.
  public init(_ mappings: [Mapping] = []) {
    for mapping in mappings { add(mapping) }
  }

  /// Adds a mapping; it replaces one with the same name.
  public mutating func add(_ mapping: Mapping) {
    if byName.updateValue(mapping, forKey: mapping.name) == nil { names.append(mapping.name) }
  }

  /// Adds all of others; they replace those with the same names.
  public mutating func add(_ others: Mappings) {
    for name in others.names { byName[name] = others.byName[name] }
    names += others.names.filter { !names.contains($0) }
    roots = others.roots.isEmpty ? roots : others.roots
    transforms.merge(others.transforms) { $1 }
    defaults.merge(others.defaults) { $1 }
    reverseDefaults.merge(others.reverseDefaults) { $1 }
  }

  /// The mapping with a name, if there is one.
  public subscript(name: String) -> Mapping? {
    get { byName[name] }
    set {
      guard var mapping = newValue else {
        byName[name] = nil
        names.removeAll { $0 == name }
        return
      }
      mapping.name = name
      add(mapping)
    }
  }

  /// Returns the mapping with a name.
  ///
  /// - Throws: `VarveError` with code `notFound`.
  func require(_ name: String, at place: String? = nil) throws -> Mapping {
    if let mapping = byName[name] { return mapping }
    throw VarveError(
      .notFound,
      "there is no mapping \"\(name)\"",
      at: place ?? "mapping \"\(name)\"",
      remedy: names.isEmpty
        ? "Define it first." : "There are: \(names.sorted().joined(separator: ", "))."
    )
  }
}
