import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// A condition of `--where`, such as `key=value`.
enum ConditionArgument {
  /// The operators, longest first.
  private static let signs = ["!=", "<=", ">=", "^=", "*=", "=", "<", ">"]

  /// The form of a condition, for help.
  static let help = ArgumentHelp(
    "Only entities that satisfy the condition; repeat for further conditions.",
    discussion: """
      key=value, !=, <, <=, >, >=, key^=beginning, key*=part. A value that reads as a number, \
      true, false or a tagged JSON value has that kind; null is a missing value; anything else, \
      and everything in quotes, is text. key={"@field":"other"} compares with another key of the \
      entity. key[name] and key[0] look into dictionaries and arrays. @id, @datestamp and \
      @modified are the entity's own.
      """,
    valueName: "condition"
  )

  /// Parses a condition.
  @Sendable static func parse(_ text: String) throws -> Condition {
    var scanner = KeyScanner(text)
    let isQuoted = text.hasPrefix("\"")
    let found = try scanner.key { rest in signs.first { rest.begins(with: $0) } }
    guard let (key, sign) = found else {
      throw UsageError("write key=value, or one of != < <= > >= ^= *= for =")
    }
    let field = isQuoted ? Field(key) : try FieldName.parse(key.text)
    return try predicate(field, sign, scanner.rest)
  }

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
    return .compare(field, comparison, try value(text, json, for: field))
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
      guard let json else { return .string(text) }
      return try Value(json: json)
    }
  }

  private static func unquoted(_ text: String) -> String {
    if text.hasPrefix("\""), case .string(let content)? = try? JSONReader.read(text) {
      return content
    }
    return text
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
    case _ where text.hasPrefix("@"):
      throw UsageError(
        "\(text) is not one of @id, @datestamp, @modified; quote it if it is a key"
      )
    case _ where text.hasPrefix("\""):
      guard case .string(let key)? = try? JSONReader.read(text) else {
        throw UsageError("the key has no closing quote")
      }
      return Field(PropertyKey(key))
    default: return path(text)
    }
  }

  /// Parses `key[name][0]`: a key, and the steps into its value.
  private static func path(_ text: String) -> Field {
    var parts = text.split(separator: "[", omittingEmptySubsequences: false)
    guard parts.count > 1, !parts[0].isEmpty, parts.dropFirst().allSatisfy({ $0.hasSuffix("]") })
    else { return Field(PropertyKey(text)) }
    let key = parts.removeFirst()
    return parts.reduce(Field(PropertyKey(String(key)))) { field, part in
      let step = part.dropLast()
      return Int(step).map { field[$0] } ?? field[PropertyKey(String(step))]
    }
  }

  /// Parses a criterion of `--order`: a field, descending with `-` in front.
  @Sendable static func parseOrdering(_ text: String) throws -> Query.Ordering {
    let isDescending = text.hasPrefix("-")
    let name = isDescending ? String(text.dropFirst()) : text
    guard !name.isEmpty else { throw UsageError("write key or -key") }
    return Query.Ordering(try parse(name), descending: isDescending)
  }
}
