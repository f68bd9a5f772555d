import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// What to write to a property, as the command line says it: `key=text` or `key:=JSON`.
///
/// A key that holds `=` or ends in `:` stands in double quotes: `"a=b"=text`.
struct Assignment {
  let key: PropertyKey
  private let content: JSON

  /// How an assignment looks, for help.
  static let help = ArgumentHelp(
    "What to write: key=text, or key:=JSON for numbers and all else; key:=null removes.",
    valueName: "key=value"
  )

  /// Reads an assignment.
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
        "after := stands JSON, but \(error); write \(key)=\(scanner.rest) for a text"
      )
    }
  }

  /// Whether the semantic type is named.
  var isTyped: Bool { StoredEntity.Property.isTyped(content) }

  /// What is to be written; nil to remove.
  var property: StoredEntity.Property? {
    get throws { content == .null ? nil : try StoredEntity.Property(json: content) }
  }
}

extension Substring {
  /// Whether a text stands at the beginning, whatever combines with its last sign.
  func begins(with text: String) -> Bool { unicodeScalars.starts(with: text.unicodeScalars) }

  /// What follows a text that stands at the beginning.
  fileprivate func dropping(_ text: String) -> Substring {
    Substring(unicodeScalars.dropFirst(text.unicodeScalars.count))
  }
}

/// Takes the key off the beginning of an assignment or a condition.
struct KeyScanner {
  private var remaining: Substring

  init(_ text: String) { remaining = text[...] }

  /// What was not taken yet.
  var rest: String { String(remaining) }

  /// The key and the operator after it; nil where no operator is found or the key is empty.
  mutating func key(
    endingAt operatorAt: (Substring) -> String?
  ) throws -> (key: PropertyKey, sign: String)? {
    if remaining.unicodeScalars.first == "\"" { return try quotedKey(endingAt: operatorAt) }
    var index = remaining.startIndex
    while index < remaining.endIndex {
      if let sign = operatorAt(remaining[index...]) {
        let key = String(remaining[..<index])
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
      throw UsageError("the quotes around the key do not end")
    }
    remaining = remaining[remaining.unicodeScalars.index(after: end)...]
    guard let sign = operatorAt(remaining) else { return nil }
    remaining = remaining.dropping(sign)
    return (PropertyKey(key), sign)
  }
}
