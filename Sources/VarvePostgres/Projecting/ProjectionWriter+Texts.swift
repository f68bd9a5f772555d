import Foundation
import VarveCore
import VarveJSON

/// Texts in which values are sent.
extension ProjectionWriter {
  /// Returns a time in seconds since 1970.
  static func seconds(_ time: HybridTime) -> String {
    "\(Double(time.millisecondsSince1970) / 1_000)"
  }

  /// Returns a value as a text that the expression of a column's kind reads.
  static func text(_ value: Value, as kind: ProjectedKind) -> String {
    switch (kind, value) {
    case (.boolean, .bool(let flag)): "\(flag)"
    case (.bigint, .int(let number)): "\(number)"
    case (.double, .double(let number)): "\(number)"
    case (.text, .string(let text)): Projected.text(text)
    case (.reference, .reference(let id)): Projected.text(id.text)
    case (.timestamp, .date(let date)): "\(seconds(date.timeIntervalSince1970))"
    case (.bytes, .data(let data)):
      "\\x" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    default: value.json.text.replacing("\\u0000", with: "\u{2400}")
    }
  }

  /// Returns seconds that PostgreSQL has; those beyond its calendar are infinite.
  private static func seconds(_ seconds: Double) -> Double {
    if seconds.isNaN || seconds > 9_224_318_015_999 { return .infinity }
    return seconds < -210_866_803_200 ? -.infinity : seconds
  }
}
