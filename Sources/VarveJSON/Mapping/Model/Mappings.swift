public import VarveCore

/// Mappings by name, with what they share: transforms of one's own, and default transforms.
///
/// ```swift
/// var mappings = Mappings([book, author])
/// mappings.defaults[.date] = .date("yyyy-MM-dd")
/// mappings.roots = [.init(at: "/books", as: "Book")]
/// ```
public struct Mappings: Sendable {
  /// What of a document is mapped, and how.
  public struct Root: Hashable, Sendable {
    /// The way to objects, as a JSON pointer (RFC 6901): `""` is the document.
    public var pointer: String
    /// The name of their mapping.
    public var mapping: String

    /// Names a part of a document.
    public init(at pointer: String = "", as mapping: String) {
      self.pointer = pointer
      self.mapping = mapping
    }
  }

  private var byName: [String: Mapping] = [:]
  /// The names in the order they were first added.
  public private(set) var names: [String] = []
  /// What of a document is mapped, for calls that do not say.
  public var roots: [Root] = []
  /// Transforms by name, beside those Varve knows.
  public var transforms: [String: Transform] = [:]
  /// The transform of values whose declared kind is this, where the attribute's own changes nothing.
  public var defaults: [Value.Kind: Transform] = [:]
  /// The same for writing; the reverse of ``defaults`` where nothing is said.
  public var reverseDefaults: [Value.Kind: Transform] = [:]

  /// Puts mappings together; of one name the last counts.
  public init(_ mappings: [Mapping] = []) {
    for mapping in mappings { add(mapping) }
  }

  /// Adds a mapping; it takes the place of one of the same name.
  public mutating func add(_ mapping: Mapping) {
    if byName.updateValue(mapping, forKey: mapping.name) == nil { names.append(mapping.name) }
  }

  /// Adds all of others; they take the place of those of the same names.
  public mutating func add(_ others: Mappings) {
    for name in others.names { byName[name] = others.byName[name] }
    names += others.names.filter { !names.contains($0) }
    roots = others.roots.isEmpty ? roots : others.roots
    transforms.merge(others.transforms) { $1 }
    defaults.merge(others.defaults) { $1 }
    reverseDefaults.merge(others.reverseDefaults) { $1 }
  }

  /// The mapping of a name, if there is one.
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

  /// The mapping of a name.
  ///
  /// - Throws: ``VarveError`` with code `notFound`.
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
