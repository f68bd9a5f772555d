#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// A condition of `--where`, such as `key=value`.
enum ConditionArgument {
  /// The operators, longest first. `==` is `=`, and `<>` is `!=`.
  private static let signs = ["!=", "<=", ">=", "<>", "==", "^=", "*=", "=", "<", ">"]

  /// The form of a condition, for help.
  static let help = ArgumentHelp(
    "Only entities that satisfy the condition; repeat for further conditions.",
    discussion: """
      key=value, !=, <, <=, >, >=, key^=beginning, key*=part; spaces around the operator do not \
      count. A value that reads as a number, true, false or a tagged JSON value has that kind; \
      null is a missing value; anything else, and everything in quotes, is text. A text such as \
      2018-12-08 without quotes is a date too. key={"@field":"other"} compares with another key of the \
      entity. key[name], key["2018"] and key[0] look into dictionaries and arrays. @id, @datestamp and \
      @modified are the entity's own.
      """,
    valueName: "condition"
  )

  /// Parses a condition.
  @Sendable static func parse(_ text: String) throws -> Condition {
    let text = text.trimmingSpaces
    var scanner = KeyScanner(text, skipsSpaces: true)
    let isQuoted = text.hasPrefix("\"")
    let found = try scanner.key { rest in signs.first { rest.begins(with: $0) } }
    guard let (key, sign) = found else {
      throw UsageError("write key=value, or one of != < <= > >= ^= *= for =")
    }
    let field = isQuoted ? Field(key) : try FieldName.parse(key.text)
    return try predicate(field, usual[sign] ?? sign, scanner.rest.trimmingSpaces)
  }

  /// The usual operator for each that only other languages use.
  private static let usual = ["==": "=", "<>": "!="]

  private static func predicate(
    _ field: Field,
    _ sign: String,
    _ text: String
  ) throws -> Condition {
    switch sign {
    case "^=": return .hasPrefix(field, unquoted(text))
    case "*=": return .contains(field, unquoted(text))
    default: break
    }
    let json = try? JSONReader.read(text)
    if json == .null {
      guard sign == "=" || sign == "!=" else { throw UsageError("null needs = or !=") }
      return sign == "=" ? field.isMissing : !field.isMissing
    }
    guard let comparison = Comparison(rawValue: sign) else {
      throw UsageError("\(sign) is not a comparison")
    }
    if case .object(let members)? = json, members.count == 1, members[0].name == "@field",
      case .string(let name) = members[0].value
    {
      return .compareFields(field, comparison, try FieldName.parse(name))
    }
    let value = try value(text, json, for: field)
    // Without quotes, a text may be meant as a date. A value satisfies only the one of its kind.
    if case .string = value, json == nil, field.isOfProperty, sqlText(text) == nil,
      let date = DateReader.read(text)
    {
      return .or([.compare(field, comparison, value), .compare(field, comparison, .date(date))])
    }
    return .compare(field, comparison, value)
  }

  private static func value(_ text: String, _ json: JSON?, for field: Field) throws -> Value {
    switch field {
    case .datestamp, .modified:
      guard let date = DateReader.read(unquoted(text)) else {
        throw UsageError("write a date as \(DateReader.forms)")
      }
      return .date(date)
    case .joined(_, let inner), .decimal(let inner), .folded(let inner):
      return try value(text, json, for: inner)
    case .identifier: return .string(unquoted(text))
    case .ofRelated(let inner, _): return try value(text, json, for: inner)
    case .property, .firstOf, .inside, .aggregate, .relevance:
      guard let json else { return .string(sqlText(text) ?? text) }
      return try Value(json: json)
    }
  }

  /// Returns the content of a text in single quotes, in which two quotes stand for one; nil if the
  /// quotes are not around all of it.
  private static func sqlText(_ text: String) -> String? {
    guard text.utf8.count >= 2, text.utf8.first == quote, text.utf8.last == quote else {
      return nil
    }
    let inner = String(decoding: text.utf8.dropFirst().dropLast(), as: UTF8.self)
    let single = inner.replacing("''", with: "")
    return single.utf8.contains(quote) ? nil : inner.replacing("''", with: "'")
  }

  private static let quote = UInt8(ascii: "'")

  private static func unquoted(_ text: String) -> String {
    if let content = sqlText(text) { return content }
    if text.hasPrefix("\""), case .string(let content)? = try? JSONReader.read(text) {
      return content
    }
    return text
  }
}

extension Field {
  /// Whether the field is a property, or a value inside one.
  fileprivate var isOfProperty: Bool {
    switch self {
    case .property, .firstOf, .inside: true
    case .decimal(let inner), .folded(let inner), .joined(_, let inner): inner.isOfProperty
    case .identifier, .datestamp, .modified, .ofRelated, .aggregate, .relevance: false
    }
  }
}

extension String {
  /// The text without the spaces at its ends.
  fileprivate var trimmingSpaces: String {
    var text = unicodeScalars[...]
    while text.first?.properties.isWhitespace == true { text = text.dropFirst() }
    while text.last?.properties.isWhitespace == true { text = text.dropLast() }
    return String(text)
  }
}

/// The field of a condition or an order.
enum FieldName {
  /// Parses a property's key, also in quotes or with a path into its value, or one of `@id`,
  /// `@datestamp`, `@modified`.
  static func parse(_ text: String) throws -> Field {
    switch text {
    case "@id": return .identifier
    case "@datestamp": return .datestamp
    case "@modified": return .modified
    case _ where text.utf8.starts(with: "@@".utf8):
      return Field(PropertyKey(String(text.unicodeScalars.dropFirst())))
    case _ where text.utf8.first == UInt8(ascii: "@"):
      throw UsageError(
        "\(text) is not one of @id, @datestamp, @modified; if it is a key, write @\(text)"
      )
    case _ where text.hasPrefix("\""):
      guard case .string(let key)? = try? JSONReader.read(text) else {
        throw UsageError("the key has no closing quote")
      }
      return Field(PropertyKey(key))
    default: return path(text)
    }
  }

  /// Parses `key[name]["2018"][0]`: a key, and the steps into its value. A number is an index, and a
  /// name in quotes.
  private static func path(_ text: String) -> Field {
    guard let start = text.utf8.firstIndex(of: UInt8(ascii: "[")), start > text.startIndex else {
      return Field(PropertyKey(text))
    }
    var field = Field(PropertyKey(String(text[..<start])))
    var rest = text[start...]
    while !rest.isEmpty {
      guard let (step, end) = step(in: rest) else { return Field(PropertyKey(text)) }
      field = step(field)
      rest = rest[end...]
    }
    return field
  }

  /// Returns the step with which a text begins, and where it ends.
  private static func step(in text: Substring) -> (step: (Field) -> Field, end: String.Index)? {
    guard text.hasPrefix("[") else { return nil }
    let inner = text.dropFirst()
    guard inner.hasPrefix("\"") else {
      guard let close = inner.firstIndex(of: "]") else { return nil }
      let name = String(inner[..<close])
      return (
        { field in Int(name).map { field[$0] } ?? field[PropertyKey(name)] },
        inner.index(after: close)
      )
    }
    for close in inner.indices.dropFirst() where inner[close...].hasPrefix("\"]") {
      let quoted = inner[...close]
      guard case .string(let name)? = try? JSONReader.read(String(quoted)) else { continue }
      return ({ $0[PropertyKey(name)] }, inner.index(close, offsetBy: 2))
    }
    return nil
  }

  /// Parses a criterion of `--order`: a field, descending with `-` in front.
  @Sendable static func parseOrdering(_ text: String) throws -> Query.Ordering {
    let isDescending = text.hasPrefix("-")
    let name = isDescending ? String(text.dropFirst()) : text
    guard !name.isEmpty else { throw UsageError("write key or -key") }
    return Query.Ordering(try parse(name), descending: isDescending)
  }
}
#endif
