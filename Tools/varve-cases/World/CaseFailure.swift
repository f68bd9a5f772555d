import VarveJSON

/// The reason why a case fails.
enum CaseFailure: Error {
  /// An expectation does not hold.
  case unmet(expected: String, got: String)
  /// An operation without `bind` failed.
  case failed(operation: String, error: String)
  /// Varve has no such thing yet.
  case unsupported(String)
  /// The case itself makes no sense.
  case malformed(String)

  /// The failure in a line.
  var text: String {
    switch self {
    case .unmet(let expected, let got): "expected \(expected), got \(got)"
    case .failed(let operation, let error): "expected \(operation) to succeed, got \(error)"
    case .unsupported(let what): "expected \(what) to be there, got unsupported"
    case .malformed(let what): "expected a case that makes sense, got: \(what)"
    }
  }
}

extension JSON {
  /// Returns the document without some members.
  func without(_ names: Set<String>) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { !names.contains($0.name) })
  }

  /// Returns the document with one more member.
  func with(_ name: String, _ value: JSON) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object(members + [Member(name: name, value: value)])
  }

  var intValue: Int? { if case .integer(let value) = self { Int(value) } else { nil } }

  var stringValue: String? { if case .string(let text) = self { text } else { nil } }

  var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
}
