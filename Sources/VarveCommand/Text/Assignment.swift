#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// The assignment of a property on the command line: `key=text` or `key:=JSON`.
///
/// A key that contains `=` or ends in `:` is written in double quotes: `"a=b"=text`.
struct Assignment {
  let key: PropertyKey
  private let content: JSON

  /// The form of an assignment, for help.
  static let help = ArgumentHelp(
    "An assignment: key=text, or key:=JSON for any other value; key:=null removes.",
    valueName: "key=value"
  )

  /// Parses an assignment.
  @Sendable static func parse(_ text: String) throws -> Assignment {
    var scanner = KeyScanner(text)
    let isOperator: (Substring) -> String? = { rest in
      [":=", "="].first { rest.begins(with: $0) }
    }
    guard let (key, sign) = try scanner.key(endingAt: isOperator) else {
      throw UsageError("write key=text or key:=JSON")
    }
    guard sign == ":=" else { return Assignment(key: key, content: .string(scanner.rest)) }
    do {
      return Assignment(key: key, content: try JSONReader.read(scanner.rest))
    } catch {
      throw UsageError(
        "the text after := must be JSON: \(error); write \(key)=\(scanner.rest) for a text"
      )
    }
  }

  /// Whether the value has an explicit semantic type.
  var isTyped: Bool { StoredEntity.Property.isTyped(content) }

  /// The property to write, or nil to remove it.
  var property: StoredEntity.Property? {
    get throws {
      content == .null
        ? nil : try StoredEntity.Property(json: content, at: "property \(key)")
    }
  }
}

extension [Assignment] {
  /// Returns the assignments.
  ///
  /// - Throws: ``UsageError`` if two assign to one key: only one could count.
  func distinct() throws -> [Assignment] {
    var seen: Set<PropertyKey> = []
    for assignment in self where !seen.insert(assignment.key).inserted {
      throw UsageError("\(assignment.key) is assigned twice.")
    }
    return self
  }
}

extension Substring {
  /// Returns whether the text begins with another, whatever combines with its last scalar.
  func begins(with text: String) -> Bool { unicodeScalars.starts(with: text.unicodeScalars) }

  /// Returns the rest after a prefix.
  fileprivate func dropping(_ text: String) -> Substring {
    Substring(unicodeScalars.dropFirst(text.unicodeScalars.count))
  }
}

/// Parses the key at the beginning of an assignment or a condition.
struct KeyScanner {
  private var remaining: Substring
  private let skipsSpaces: Bool

  /// - Parameter skipsSpaces: whether spaces between the key and the operator do not count.
  init(_ text: String, skipsSpaces: Bool = false) {
    remaining = text[...]
    self.skipsSpaces = skipsSpaces
  }

  /// The remaining text.
  var rest: String { String(remaining) }

  /// Returns the key and the operator after it, or nil if there is no operator or the key is empty.
  mutating func key(
    endingAt operatorAt: (Substring) -> String?
  ) throws -> (key: PropertyKey, sign: String)? {
    if remaining.unicodeScalars.first == "\"" { return try quotedKey(endingAt: operatorAt) }
    var index = remaining.startIndex
    while index < remaining.endIndex {
      if let sign = operatorAt(remaining[index...]) {
        var scalars = remaining[..<index].unicodeScalars
        while skipsSpaces, scalars.last?.properties.isWhitespace == true {
          scalars = scalars.dropLast()
        }
        let key = String(scalars)
        remaining = remaining[index...].dropping(sign)
        return key.isEmpty ? nil : (PropertyKey(key), sign)
      }
      index = remaining.unicodeScalars.index(after: index)
    }
    return nil
  }

  private mutating func quotedKey(
    endingAt operatorAt: (Substring) -> String?
  ) throws -> (key: PropertyKey, sign: String)? {
    var isEscaped = false
    let end = remaining.unicodeScalars.dropFirst().firstIndex { scalar in
      defer { isEscaped = scalar == "\\" && !isEscaped }
      return scalar == "\"" && !isEscaped
    }
    guard let end, case .string(let key)? = try? JSONReader.read(String(remaining[...end])) else {
      throw UsageError("the key has no closing quote")
    }
    remaining = remaining[remaining.unicodeScalars.index(after: end)...]
    if skipsSpaces {
      remaining = Substring(remaining.unicodeScalars.drop(while: \.properties.isWhitespace))
    }
    guard let sign = operatorAt(remaining) else { return nil }
    remaining = remaining.dropping(sign)
    return (PropertyKey(key), sign)
  }
}
#endif
