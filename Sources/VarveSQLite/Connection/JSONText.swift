import Foundation
import VarveCore

/// A value as JSON, for SQL that reads arrays and dictionaries: `json_each(varve_json(tags))`.
///
/// Texts, numbers and truth values are themselves; a date is its ISO 8601 text, data is Base64, a
/// reference is the identifier, and a number that JSON does not have is null.
struct JSONText {
  private(set) var text = ""

  init(_ value: Value) { append(value) }

  private mutating func append(_ value: Value) {
    switch value {
    case .bool(let value): text += value ? "true" : "false"
    case .int(let value): text += String(value)
    case .double(let value): text += value.isFinite ? value.description : "null"
    case .string(let value): append(quoted: value)
    case .date(let value): append(value)
    case .data(let value): append(quoted: value.base64EncodedString())
    case .reference(let id): append(quoted: id.text)
    case .array(let values): append(values, "[", "]") { $0.append($1) }
    case .dictionary(let fields):
      append(fields.sorted { $0.key < $1.key }, "{", "}") { json, field in
        json.append(quoted: field.key.text)
        json.text += ":"
        json.append(field.value)
      }
    }
  }

  private mutating func append<Element>(
    _ elements: [Element],
    _ opening: String,
    _ closing: String,
    _ body: (inout JSONText, Element) -> Void
  ) {
    text += opening
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      body(&self, element)
    }
    text += closing
  }

  private mutating func append(_ date: Date) {
    guard date.timeIntervalSinceReferenceDate.isFinite, let time = try? HybridTime(date) else {
      text += "null"
      return
    }
    append(quoted: ISO8601Text.text(time))
  }

  private mutating func append(quoted string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
