/// A piece of SQL and the values of its placeholders, in order.
struct SQLFragment: Hashable, Sendable {
  var text: String
  var bindings: [SQLValue]

  init(_ text: String, _ bindings: [SQLValue] = []) {
    self.text = text
    self.bindings = bindings
  }

  static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
    SQLFragment(left.text + right.text, left.bindings + right.bindings)
  }

  /// Returns bytes as a literal.
  static func literal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "x'" + String(decoding: hex, as: UTF8.self) + "'"
  }

  /// The SQL with its values as literals, for expressions that have no bindings.
  var inlined: String {
    bindings.isEmpty ? text : text.replacingPlaceholders(by: bindings.map(\.literal))
  }

  /// Returns the concatenated fragments, with a separator between them.
  static func joined(_ fragments: [SQLFragment], by separator: String) -> SQLFragment {
    SQLFragment(
      fragments.map(\.text).joined(separator: separator),
      fragments.flatMap(\.bindings)
    )
  }
}

extension String {
  /// Returns the SQL with each placeholder outside of quotes replaced.
  func replacingPlaceholders(by literals: [String]) -> String {
    var result = String.UnicodeScalarView()
    var rest = literals[...]
    var quote: Unicode.Scalar?
    for scalar in unicodeScalars {
      if scalar == "?", quote == nil, let literal = rest.popFirst() {
        result.append(contentsOf: literal.unicodeScalars)
        continue
      }
      if scalar == quote {
        quote = nil
      } else if quote == nil, scalar == "\"" || scalar == "'" {
        quote = scalar
      }
      result.append(scalar)
    }
    return String(result)
  }
}
