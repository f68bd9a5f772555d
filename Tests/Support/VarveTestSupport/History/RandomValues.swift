import Foundation
package import VarveCore

extension SplitMix64 {
  /// Returns a value of any kind, often an unusual one: extremes, empty ones, look-alikes, nested
  /// ones.
  package mutating func value(references: [EntityID], depth: Int = 0) -> Value {
    switch Int.random(in: 0..<(depth < 2 ? 9 : 7), using: &self) {
    case 0: return .bool(chance(50))
    case 1: return .int(pick([0, 1, -1, .min, .max, Int64.random(in: -99...99, using: &self)]))
    case 2:
      let doubles = [0.0, -0.0, 1.5, .infinity, .nan, -.leastNonzeroMagnitude, 0x1p63]
      return .double(pick(doubles))
    case 3:
      return .string(pick(["", "a", "\u{E9}", "e\u{301}", "\0", "1", "🧢", "Zürich", "ZÜRICH"]))
    case 4:
      let seconds = pick([0.0, -1.5, 1e9, 725_760_000.123_456, 63_113_904_000])
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case 5: return .data(Data(pick([[], [0], [0xFF, 0x00, 0x7F]])))
    case 6: return .reference(references.isEmpty ? "nowhere" : pick(references))
    case 7:
      return .array(
        (0..<Int.random(in: 0...3, using: &self)).map { _ in
          value(references: references, depth: depth + 1)
        }
      )
    default:
      var fields: [PropertyKey: Value] = [:]
      for key in ["a", "b", "\u{E9}"] as [PropertyKey] where chance(50) {
        fields[key] = value(references: references, depth: depth + 1)
      }
      return .dictionary(fields)
    }
  }
}
