import VarveCore

extension CompiledMapping {
  /// The import of one property.
  final class Column {
    let key: PropertyKey
    let path: KeyPathInJSON
    let transform: ValueTransform?
    let defaultTransform: ValueTransform?
    let kind: Value.Kind?
    let qualifier: Qualifier?
    /// The index of its values in a row.
    let index: Int
    /// Whether its value identifies the entity.
    let isIdentification: Bool
    /// Whether a text of the document is the value as it is.
    let keepsTexts: Bool

    init(_ attribute: Attribute, of mapping: Mapping, _ mappings: Mappings, at index: Int) {
      key = attribute.key
      path = attribute.path
      transform = attribute.transform
      kind = mapping.types[attribute.key]
      defaultTransform = kind.flatMap { mappings.defaults[$0] }
      qualifier = attribute.qualifier
      self.index = index
      isIdentification = attribute.key == mapping.identification
      keepsTexts = Self.keepsTexts(transform, defaultTransform, kind)
    }
  }

  /// The purpose of a member of an object.
  struct Member {
    let name: String
    /// The columns for which the member's value is sufficient.
    fileprivate(set) var columns: [Column] = []
    /// Whether the member is needed for more than its plain value.
    fileprivate(set) var isNeededWhole = false

    fileprivate init(_ name: String) { self.name = name }
  }

  static func members(_ columns: [Column], _ relations: [MappedRelation]) -> [Member] {
    var members: [Member] = []
    func index(_ name: String) -> Int {
      if let known = members.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        return known
      }
      members.append(Member(name))
      return members.count - 1
    }
    for column in columns {
      let first = index(column.path.names[0])
      if column.isFlat {
        members[first].columns.append(column)
      } else {
        members[first].isNeededWhole = true
      }
      if let other = column.qualifier { members[index(other.path.names[0])].isNeededWhole = true }
    }
    for relation in relations {
      members[index(relation.path.names[0])].isNeededWhole = true
      if let other = relation.qualifier { members[index(other.path.names[0])].isNeededWhole = true }
    }
    return members
  }
}

extension CompiledMapping.Column {
  /// Whether the value is a direct member of the object, and depends on no other member.
  var isFlat: Bool { path.names.count == 1 && qualifier == nil }

  /// Returns whether a text is its own value.
  fileprivate static func keepsTexts(
    _ transform: ValueTransform?,
    _ defaultTransform: ValueTransform?,
    _ kind: Value.Kind?
  ) -> Bool {
    transform == nil && defaultTransform == nil && (kind == nil || kind == .string)
  }

  /// Returns the property's value for a JSON value; nil if it has none.
  func value(_ json: JSON) -> Value? {
    plain(json).flatMap(value)
  }

  /// Returns the property's value for a plain one; nil if it has none.
  func value(_ plain: Value) -> Value? {
    guard var value = apply(to: plain) else { return nil }
    if let kind {
      guard let coerced = value.coerced(to: kind) else { return nil }
      value = coerced
    }
    return value
  }

  /// Applies the attribute's own transform; if that changes nothing, the default one of the kind.
  private func apply(to plain: Value) -> Value? {
    var value = plain
    if let transform {
      guard let own = transform(plain) else { return nil }
      value = own
    }
    guard let defaultTransform, value == plain else { return value }
    return defaultTransform(value)
  }

  /// Arrays and objects are values only if the property has such a kind.
  private func plain(_ json: JSON) -> Value? {
    switch json {
    case .array where kind != .array && transform == nil: nil
    case .object where kind != .dictionary && transform == nil: nil
    default: Value(plain: json)
    }
  }

  /// Returns the reason why a JSON value cannot be used.
  func complaint(_ json: JSON) -> String {
    let what = json.short
    if json.holdsNull { return "\(what) contains null, which values cannot" }
    if let transform, let plain = plain(json), transform(plain) == nil {
      return "\(what) has no value by the transform \(transform.name)"
    }
    if let kind { return "\(json.isScalar ? what : json.kindName) is not of kind \(kind.name)" }
    if isIdentification { return "\(json.kindName) is not an identifying value" }
    switch json {
    case .array: return Self.bare(json, "array")
    case .object: return Self.bare(json, "dictionary")
    default: return "\(what) cannot be a value"
    }
  }

  private static func bare(_ json: JSON, _ kind: String) -> String {
    "\(json.kindName) is not a property value; declare its type as \"\(kind)\" to keep it"
  }
}

extension JSON {
  /// Whether the value is a text, a number or a truth value.
  var isScalar: Bool {
    switch self {
    case .null, .array, .object: false
    case .bool, .integer, .fraction, .string: true
    }
  }

  /// Whether the value contains null, at any depth.
  fileprivate var holdsNull: Bool {
    switch self {
    case .array(let elements): elements.contains { $0 == .null || $0.holdsNull }
    case .object(let members): members.contains { $0.value == .null || $0.value.holdsNull }
    default: false
    }
  }

  /// The document in at most 60 characters.
  var short: String {
    let text = text
    return text.count > 60 ? text.prefix(59) + "…" : text
  }
}

extension Value {
  /// Converts a scalar.
  init(_ scalar: JSONScalar) {
    switch scalar {
    case .string(let text): self = .string(text)
    case .integer(let value): self = .int(value)
    case .fraction(let value): self = .double(value)
    case .bool(let value): self = .bool(value)
    }
  }
}
