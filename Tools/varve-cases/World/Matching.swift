import VarveCore
import VarveJSON

/// Compares results with expected values.
enum Matching {
  /// The comparators there are.
  static let names = ["is", "unordered", "contains", "lacksKeys", "not", "startsWith"]

  /// Throws if a value does not satisfy a comparator.
  static func check(_ got: JSON, _ comparator: String, _ expected: JSON) throws {
    let (left, right) = (got.normal, expected.normal)
    guard let holds = holds(left, comparator, right) else {
      throw CaseFailure.unsupported("comparator \(comparator)")
    }
    guard !holds else { return }
    let text = comparator == "is" ? expected.text : "\(comparator) \(expected.text)"
    throw CaseFailure.unmet(expected: text, got: got.text)
  }

  private static func holds(_ got: JSON, _ comparator: String, _ expected: JSON) -> Bool? {
    switch comparator {
    case "is": got == expected
    case "not": got != expected
    case "unordered": unordered(got, expected)
    case "contains": contains(got, expected)
    case "lacksKeys": lacks(got, expected)
    case "startsWith":
      if case (.string(let text), .string(let beginning)) = (got, expected) {
        text.hasPrefix(beginning)
      } else if case (.array(let elements), .array(let beginning)) = (got, expected) {
        elements.starts(with: beginning)
      } else {
        false
      }
    default: nil
    }
  }

  private static func unordered(_ got: JSON, _ expected: JSON) -> Bool {
    guard case (.array(var left), .array(let right)) = (got, expected), left.count == right.count
    else { return false }
    for element in right {
      guard let index = left.firstIndex(of: element) else { return false }
      left.remove(at: index)
    }
    return true
  }

  private static func contains(_ got: JSON, _ expected: JSON) -> Bool {
    switch (got, expected) {
    case (.string(let text), .string(let part)): text.contains(part)
    case (.array(let elements), .array(let wanted)) where !elements.contains(expected):
      wanted.allSatisfy { part in elements.contains { $0 == part || contains($0, part) } }
    case (.array(let elements), _): elements.contains { $0 == expected || contains($0, expected) }
    case (.object, .object(let wanted)):
      wanted.allSatisfy { member in
        got[member.name].map { $0 == member.value || contains($0, member.value) } ?? false
      }
    default: false
    }
  }

  private static func lacks(_ got: JSON, _ expected: JSON) -> Bool {
    guard case .object(let members) = got, case .array(let names) = expected else { return false }
    return !members.contains { names.contains(.string($0.name)) }
  }
}

extension JSON {
  /// The normal form of equal values: members in order of name, tagged values as Varve writes them.
  fileprivate var normal: JSON {
    switch self {
    case .string(let text) where text.hasPrefix("SELECT "): return .string(text.plainSQL)
    case .array(let elements): return .array(elements.map(\.normal))
    case .object(let members):
      if members.count == 1, let value = try? VarveCore.Value(json: self) {
        return value.json
      }
      let ordered = members.sorted { $0.name < $1.name }
      return .object(ordered.map { Member(name: $0.name, value: $0.value.normal) })
    default: return self
    }
  }
}

extension String {
  /// SQL without quotes and parentheses, its white space collapsed.
  fileprivate var plainSQL: String {
    filter { !"\"'`()".contains($0) }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
