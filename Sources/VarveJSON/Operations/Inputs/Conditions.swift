import VarveCore
import VarveStore

/// Conditions and orders of queries.
extension Part {
  /// Returns a field by name: a property's key, or `@id`, `@datestamp`, `@modified`. A key that
  /// begins with `@` has another in front.
  func field(_ name: String) throws -> Field {
    switch name {
    case "@id": return .identifier
    case "@datestamp": return .datestamp
    case "@modified": return .modified
    case _ where name.utf8.starts(with: "@@".utf8):
      return .property(PropertyKey(String(name.unicodeScalars.dropFirst())))
    case _ where name.utf8.first == UInt8(ascii: "@"):
      throw Misfit(
        "\"\(name)\" is not one of @id, @datestamp, @modified",
        at: path,
        remedy: "Write a key that begins with @ as \"@\(name)\"."
      )
    default: return .property(PropertyKey(name))
    }
  }

  /// Reads a criterion of an order: `key`, `-key`, or `{"by": key}` with modifiers.
  func ordering() throws -> Query.Ordering {
    try Task.checkCancellation()
    guard case .object = json else {
      let text = try string()
      let isDescending = text.hasPrefix("-")
      let name = isDescending ? String(text.dropFirst()) : text
      return Query.Ordering(try field(name), descending: isDescending)
    }
    var fields = try Fields(self, of: "a criterion")
    if let relation = fields.take("related") {
      var parts = try Fields(relation, of: "a relation")
      let value = try parts.need("value").aggregation()
      let field = Field.aggregate(value, try relation.related(&parts))
      let isDescending = try fields.flag("descending")
      try parts.finish()
      try fields.finish()
      return Query.Ordering(field, descending: isDescending)
    }
    if let words = fields.take("relevance") {
      let text = try words.string()
      let searched = try searched(&fields)
      try fields.finish()
      return Query.Ordering(.relevance(text, searched), descending: true)
    }
    let by = try fields.need("by")
    let field = try by.modified(try by.field(try by.string()), &fields)
    let isDescending = try fields.flag("descending")
    try fields.finish()
    return Query.Ordering(field, descending: isDescending)
  }

  /// Takes the modifiers of a field: `at`, a path into its value, and `ignoringCase`.
  private func modified(_ field: Field, _ fields: inout Fields) throws -> Field {
    var field = field
    let steps = try fields.take("at")?.elements() ?? []
    guard steps.count <= Value.maximumDepth else {
      throw Misfit(
        "a path has more than \(Value.maximumDepth) steps",
        at: path,
        remedy: "No value is nested deeper."
      )
    }
    for step in steps {
      if case .string(let key) = step.json {
        field = field[PropertyKey(key)]
      } else {
        field = field[try step.count()]
      }
    }
    if let target = fields.take("target") {
      var parts = try Fields(target, of: "a target")
      let type = EntityType(try parts.need("type").string())
      let key = try parts.need("key")
      let inner = try key.modified(try key.field(try key.string()), &parts)
      try parts.finish()
      field = field.target(type, inner)
    }
    return try fields.flag("ignoringCase") ? field.ignoringCase : field
  }

  /// Takes the properties that a full-text search reads.
  private func searched(_ fields: inout Fields) throws -> [Field] {
    try fields.need("in").elements().map { try $0.field(try $0.string()) }
  }

  /// Reads a full-text search: `words`, and the properties `in` which they are.
  private func search() throws -> Condition {
    var fields = try Fields(self, of: "a search")
    let words = try fields.need("words").string()
    let searched = try searched(&fields)
    try fields.finish()
    return .matches(words, searched)
  }

  /// Takes related entities: `type`, `by` or `elements`, and `where`.
  private func related(_ fields: inout Fields) throws -> RelatedEntities {
    let type = EntityType(try fields.need("type").string())
    let condition = try fields.take("where")?.condition() ?? .always
    if let key = fields.take("elements") {
      return .elements(of: PropertyKey(try key.string()), type).where(condition)
    }
    return .referring(type, by: PropertyKey(try fields.need("by").string())).where(condition)
  }

  /// Reads a condition on related entities: that there are some, or that their `value` compares.
  private func relatedCondition() throws -> Condition {
    var fields = try Fields(self, of: "a relation")
    let related = try related(&fields)
    guard let value = fields.take("value") else {
      try fields.finish()
      return related.exists
    }
    let field = Field.aggregate(try value.aggregation(), related)
    let conditions = try fields.takeRest().map { sign, part in try part.condition(field, sign) }
    guard !conditions.isEmpty else {
      throw Misfit("a condition has no comparison", at: path, remedy: Self.remedy)
    }
    return conditions.count == 1 ? conditions[0] : .and(conditions)
  }

  /// Reads the field of `{"@field": key}` with modifiers, or returns nil if this is something else.
  private func otherField() throws -> Field? {
    guard case .object(let members) = json, members.contains(where: { $0.name == "@field" }) else {
      return nil
    }
    var fields = try Fields(self, of: "a field")
    let name = try fields.need("@field")
    let field = try modified(try name.field(try name.string()), &fields)
    try fields.finish()
    return field
  }

  /// Reads a condition such as `{key: value}`, `{key: {">": value}}` or `{"@or": […]}`. All members
  /// must hold.
  func condition() throws -> Condition {
    try Task.checkCancellation()
    let conditions = try members().map { name, part -> Condition in
      switch name {
      case "@and": return .and(try part.elements().map { try $0.condition() })
      case "@or": return .or(try part.elements().map { try $0.condition() })
      case "@not": return .not(try part.condition())
      case "@related": return try part.relatedCondition()
      case "@matches": return try part.search()
      default: return try part.comparison(of: try part.field(name))
      }
    }
    return conditions.count == 1 ? conditions[0] : .and(conditions)
  }

  private static let signs = [
    "=", "!=", "<", "<=", ">", ">=", "in", "startsWith", "contains", "includes",
  ]
  private static let remedy = "Use one of \(signs.joined(separator: " "))."
  /// The tags of objects that are values.
  private static let tags: Set<String> = [
    "date", "data", "entity", "double", "array", "dictionary",
  ]

  private func comparison(of field: Field) throws -> Condition {
    guard case .object(let written) = json, let first = written.first,
      !Self.tags.contains(first.name)
    else { return try equality(field, .equal) }
    if let other = try otherField() { return .compareFields(field, .equal, other) }
    var fields = try Fields(self, of: "a condition")
    let field = try modified(field, &fields)
    let conditions = try fields.takeRest().map { sign, part in try part.condition(field, sign) }
    guard !conditions.isEmpty else {
      throw Misfit("a condition has no comparison", at: path, remedy: Self.remedy)
    }
    return conditions.count == 1 ? conditions[0] : .and(conditions)
  }

  private func condition(_ field: Field, _ sign: String) throws -> Condition {
    switch sign {
    case "in": return .isIn(field, try elements().map { try $0.value(for: field) })
    case "startsWith": return .hasPrefix(field, try string())
    case "contains": return .contains(field, try string())
    case "includes": return .includes(field, try value(for: field))
    default:
      guard let comparison = Comparison(rawValue: sign) else {
        throw Misfit(
          "\"\(sign)\" is not a comparison",
          at: path,
          remedy: Self.remedy
        )
      }
      return try equality(field, comparison)
    }
  }

  private func equality(_ field: Field, _ comparison: Comparison) throws -> Condition {
    if let other = try otherField() { return .compareFields(field, comparison, other) }
    return switch (json, comparison) {
    case (.null, .equal): .isMissing(field)
    case (.null, .notEqual): .not(.isMissing(field))
    default: .compare(field, comparison, try value(for: field))
    }
  }

  private func value(for field: Field) throws -> Value {
    switch field {
    case .datestamp, .modified: .date(try date())
    case .identifier: .string(try string())
    case .property, .firstOf, .inside, .aggregate, .relevance: try value()
    case .ofRelated(let inner, _): try value(for: inner)
    case .joined(_, let inner), .decimal(let inner), .folded(let inner): try value(for: inner)
    }
  }
}
