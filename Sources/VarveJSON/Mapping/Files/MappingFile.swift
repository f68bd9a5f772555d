import VarveCore
import VarveStore

extension Mappings {
  /// Reads the mappings of a JSON file. See `Documentation/Mapping.md`.
  ///
  /// ```swift
  /// let mappings = try Mappings(json: JSONReader.read(text))
  /// ```
  ///
  /// - Throws: `VarveError` with code `invalidMapping` and the place, as a JSON pointer.
  public init(json: JSON) throws {
    self.init()
    try Self.locating {
      var fields = try Fields(Part(json: json, path: []), of: "a mapping file")
      for (name, part) in try fields.take("transforms")?.members() ?? [] {
        transforms[name] = try part.transformDefinition(name)
      }
      for (name, part) in try fields.need("mappings").members() {
        var mapping = Mapping(name)
        try mapping.read(part, transforms)
        add(mapping)
      }
      roots = try fields.take("roots")?.elements().map { try $0.root() } ?? []
      defaults = try fields.take("defaults")?.transformsByKind(transforms) ?? [:]
      reverseDefaults = try fields.take("reverseDefaults")?.transformsByKind(transforms) ?? [:]
      try fields.finish()
    }
    try validate()
  }

  /// Overrides fields of mappings: `{"Book": {"id": null}}`.
  mutating func override(_ part: Part) throws {
    for (name, part) in try part.members() {
      guard var mapping = self[name] else {
        throw Misfit("there is no such mapping", at: part.path)
      }
      try mapping.read(part, transforms)
      self[name] = mapping
    }
  }

  /// Runs a closure, and reports what does not fit as an error of the mapping file.
  static func locating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let misfit as Misfit {
      throw misfit.inMappingFile
    }
  }
}

extension Misfit {
  fileprivate var inMappingFile: VarveError {
    let pointer = path.map { step in
      switch step {
      case .name(let name): JSONPointer.text(name)
      case .index(let index): "/\(index)"
      }
    }.joined()
    return VarveError(
      .invalidMapping,
      error.message,
      at: pointer.isEmpty ? "/" : pointer,
      remedy: error.ownRemedy
    )
  }
}

extension Mapping {
  /// Replaces its fields by those present.
  fileprivate mutating func read(_ part: Part, _ transforms: [String: ValueTransform]) throws {
    var fields = try Fields(part, of: "a mapping")
    if let entity = fields.take("entity") { self.entity = EntityType(try entity.string()) }
    if let id = fields.take("id") {
      identification = id.json == .null ? nil : PropertyKey(try id.string())
    }
    if let types = fields.take("types") {
      self.types = Dictionary(
        try types.members().map { (PropertyKey($0), try $1.kind()) },
        uniquingKeysWith: { $1 }
      )
    }
    if let attributes = fields.take("attributes") {
      self.attributes = try attributes.members().map { path, part in
        try part.attribute(Part(json: .string(path), path: part.path).keyPath(), transforms)
      }
    }
    if let relations = fields.take("relationships") {
      self.relations = try relations.elements().map { try $0.relation(transforms) }
    }
    if let missing = fields.take("missing") {
      let choices = ["clears": true, "keeps": false]
      guard let choice = choices[try missing.string()] else {
        throw Misfit("one of clears, keeps is expected", at: missing.path)
      }
      clearsMissing = choice
    }
    if let complete = fields.take("complete") { completeness = try complete.completeness() }
    try fields.finish()
  }
}

extension Part {
  fileprivate func kind() throws -> Value.Kind {
    if let kind = Value.Kind(named: try string()) { return kind }
    let names = Value.Kind.allCases.map(\.name).joined(separator: ", ")
    throw Misfit("one of \(names) is expected", at: path)
  }

  /// Returns the path of a value: names between dots, or a JSON pointer.
  fileprivate func keyPath() throws -> KeyPathInJSON {
    let text = try string()
    if text.hasPrefix("/") { _ = try convert { _ in try JSONPointer.steps(text) } }
    return KeyPathInJSON(text)
  }

  fileprivate func root() throws -> Mappings.Root {
    var fields = try Fields(self, of: "a root")
    let pointer = try fields.take("pointer")?.string() ?? ""
    let mapping = try fields.need("mapping").string()
    let keyedBy = try fields.take("keyedBy")?.string()
    try fields.finish()
    return Mappings.Root(at: pointer, as: mapping, keyedBy: keyedBy)
  }

  fileprivate func completeness() throws -> Mapping.Completeness? {
    if case .bool(let isComplete) = json { return isComplete ? .all : nil }
    if json == .null { return nil }
    return .matching(try condition())
  }

  fileprivate func attribute(
    _ way: KeyPathInJSON,
    _ transforms: [String: ValueTransform]
  ) throws -> Attribute {
    if case .string(let key) = json { return Attribute(way, to: PropertyKey(key)) }
    var fields = try Fields(self, of: "an attribute")
    let attribute = Attribute(
      way,
      to: try fields.take("to").map { PropertyKey(try $0.string()) },
      try fields.take("transform")?.transform(transforms),
      reverse: try fields.take("reverse")?.transform(transforms),
      qualifiedBy: try fields.take("qualifiedBy")?.qualifier()
    )
    try fields.finish()
    return attribute
  }

  fileprivate func relation(_ transforms: [String: ValueTransform]) throws -> MappedRelation {
    var fields = try Fields(self, of: "a relationship")
    let (ids, objects) = (fields.take("fromIds"), fields.take("from"))
    guard let way = ids ?? objects, ids == nil || objects == nil else {
      throw Misfit("a relationship has either \"from\" or \"fromIds\"", at: path)
    }
    var relation = MappedRelation(
      try way.keyPath(),
      isByID: ids != nil,
      key: try fields.take("to").map { PropertyKey(try $0.string()) },
      many: nil,
      mapping: try fields.need("mapping").string(),
      policy: try fields.choice("policy", default: .assign)
    )
    relation.keyedBy = try fields.take("keyedBy")?.string()
    if let many = fields.take("many") { relation.many = try many.choice() }
    if let edge = fields.take("declares") { relation.edge = try edge.choice() }
    relation.inverse = try fields.take("inverse").map { PropertyKey(try $0.string()) }
    relation.transform = try fields.take("transform")?.transform(transforms)
    relation.qualifier = try fields.take("qualifiedBy")?.qualifier()
    try fields.finish()
    return relation
  }

  private func choice<Choice: RawRepresentable & CaseIterable>() throws -> Choice
  where Choice.RawValue == String {
    if let choice = Choice(rawValue: try string()) { return choice }
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw Misfit("one of \(names) is expected", at: path)
  }

  fileprivate func qualifier() throws -> Qualifier {
    var fields = try Fields(self, of: "a qualifier")
    let qualifier = Qualifier(
      by: try fields.need("path").keyPath(),
      separator: try fields.need("separator").string()
    )
    try fields.finish()
    guard !qualifier.separator.isEmpty else {
      throw Misfit("a separator cannot be empty", at: path)
    }
    return qualifier
  }

  /// Returns the transform of a name: one of the file, or a built-in one.
  func transform(_ own: [String: ValueTransform]) throws -> ValueTransform {
    let name = try string()
    if let transform = own[name] ?? ValueTransform(named: name) { return transform }
    throw Misfit(
      "there is no transform \"\(name)\"",
      at: path,
      remedy: "Use one of \(ValueTransform.forms), or one the file defines under \"transforms\"."
    )
  }

  /// Returns default transforms, from kinds of values and names of transforms.
  func transformsByKind(_ own: [String: ValueTransform]) throws -> [Value.Kind: ValueTransform] {
    var transforms: [Value.Kind: ValueTransform] = [:]
    for (name, part) in try members() {
      let kind = try Part(json: .string(name), path: part.path).kind()
      transforms[kind] = try part.transform(own)
    }
    return transforms
  }

  /// `{"enumeration": {"A": "active"}}`.
  fileprivate func transformDefinition(_ name: String) throws -> ValueTransform {
    var fields = try Fields(self, of: "a transform")
    let values = try fields.need("enumeration").members().map { text, part in
      (ExactText(text), try part.value())
    }
    try fields.finish()
    return .enumeration(name, values)
  }
}
