import Foundation
import Testing
import VarveCore
import VarveStore

/// Compares queries of one property with the same queries of plain arrays.
struct NaiveComparing<V: OrderedValue> {
  let name: String
  let keyPath: any KeyPath<Sample, V?> & Sendable
  let domain: [V]
  /// Returns whether a value precedes another.
  var precedes: @Sendable (V, V) -> Bool = { $0 < $1 }

  /// A value that compares with nothing, as NaN does.
  private func isComparable(_ value: V) -> Bool { value == value }

  func compare(
    _ reading: some Reading,
    _ models: [Sample],
    _ place: String,
    using random: inout some RandomNumberGenerator
  ) async throws {
    try await conditions(reading, models, place, using: &random)
    try await order(reading, models, place)
    try await extremes(reading, models, place)
  }

  private func conditions(
    _ reading: some Reading,
    _ models: [Sample],
    _ place: String,
    using random: inout some RandomNumberGenerator
  ) async throws {
    guard let bound = domain.randomElement(using: &random),
      let other = domain.randomElement(using: &random)
    else { return }
    typealias Column = ModelColumn<Sample, V?>
    var cases: [(String, (Column) -> Condition, (V?) -> Bool?)] = [
      ("<", { $0 < bound }, { known($0, bound) { precedes($0, bound) } }),
      ("<=", { $0 <= bound }, { known($0, bound) { !precedes(bound, $0) } }),
      (">", { $0 > bound }, { known($0, bound) { precedes(bound, $0) } }),
      (">=", { $0 >= bound }, { known($0, bound) { !precedes($0, bound) } }),
      ("==", { $0 == bound }, { known($0, bound) { $0 == bound } }),
      ("!=", { $0 != bound }, { known($0, bound) { $0 != bound } }),
      ("nil", { $0.isMissing }, { $0 == nil }),
      ("in", { $0.isIn([bound, nil]) }, { $0 == nil ? true : known($0, bound) { $0 == bound } }),
      ("in none", { $0.isIn([]) }, { $0.flatMap { isComparable($0) ? false : nil } }),
    ]
    if isComparable(bound), isComparable(other), !precedes(other, bound), bound <= other {
      cases.append(
        (
          "between", { $0.between(bound...other) },
          { known($0, bound) { !precedes($0, bound) && !precedes(other, $0) } }
        )
      )
    }
    for (sign, condition, naive) in cases {
      for isNegated in [false, true] {
        let query = Sample.where {
          let holds = condition($0[dynamicMember: keyPath])
          return isNegated ? !holds : holds
        }
        let found = try await reading.fetch(query).map(\.id)
        let expected = models.filter { naive($0[keyPath: keyPath]) == !isNegated }.map(\.id)
        let sentence = "\(isNegated ? "not " : "")\(name) \(sign) \(bound), \(place)"
        #expect(found == expected, "\(sentence)")
        #expect(try await reading.count(query) == expected.count, "\(sentence)")
      }
    }
  }

  /// A value for comparison, which may be missing or comparable with nothing.
  private func known(_ value: V?, _ bound: V, _ holds: (V) -> Bool) -> Bool? {
    guard let value, isComparable(value), isComparable(bound) else { return nil }
    return holds(value)
  }

  private func order(_ reading: some Reading, _ models: [Sample], _ place: String) async throws {
    for isDescending in [false, true] {
      let query = Sample.all.order(by: keyPath, descending: isDescending)
      let expected = models.enumerated().sorted { left, right in
        let (one, other) = (left.element[keyPath: keyPath], right.element[keyPath: keyPath])
        if stands(one, before: other) { return !isDescending }
        if stands(other, before: one) { return isDescending }
        return left.offset < right.offset
      }
      let found = try await reading.fetch(query).map(\.id)
      #expect(found == expected.map(\.element.id), "order by \(name), \(isDescending), \(place)")
    }
    var paged: [Identifier<Sample>] = []
    var mark: PageMark?
    let query = Sample.all.order(by: keyPath)
    repeat {
      let page = try await reading.page(of: query, size: 3, after: mark)
      paged += page.models.map(\.id)
      mark = page.next
    } while mark != nil
    let values = Dictionary(uniqueKeysWithValues: models.map { ($0.id, $0[keyPath: keyPath]) })
    let expected = models.map(\.id).sorted { left, right in
      let (one, other) = (values[left] ?? nil, values[right] ?? nil)
      if stands(one, before: other) { return true }
      return !stands(other, before: one) && left < right
    }
    #expect(paged == expected, "pages by \(name), \(place)")
  }

  /// Returns whether a value precedes another. Missing values are first, incomparable ones last.
  private func stands(_ one: V?, before other: V?) -> Bool {
    guard let one, let other else { return one == nil && other != nil }
    guard isComparable(one) else { return false }
    return isComparable(other) ? precedes(one, other) : true
  }

  private func extremes(_ reading: some Reading, _ models: [Sample], _ place: String) async throws {
    let values = models.compactMap { $0[keyPath: keyPath] }.filter(isComparable)
    let (least, greatest, count) = try await reading.aggregate(
      Sample.all,
      .minimum(keyPath),
      .maximum(keyPath),
      .count(keyPath)
    )
    #expect(least == values.min(by: precedes), "minimum of \(name), \(place)")
    #expect(greatest == values.max(by: precedes), "maximum of \(name), \(place)")
    #expect(count == models.count { $0[keyPath: keyPath] != nil }, "count of \(name), \(place)")
    let groups = try await reading.aggregate(Sample.all, by: keyPath, .count)
    let distinct = models.filter { $0[keyPath: keyPath].map(isComparable) ?? true }
    var expected: [(V?, Int)] = []
    for value in distinct.map({ $0[keyPath: keyPath] }).sorted(by: { stands($0, before: $1) }) {
      if let last = expected.last, last.0 == value {
        expected[expected.count - 1].1 += 1
      } else {
        expected.append((value, 1))
      }
    }
    let found = groups.filter { $0.key.flatMap { $0 }.map(isComparable) ?? true }
    #expect(found.map { $0.key.flatMap { $0 } } == expected.map(\.0), "groups by \(name), \(place)")
    #expect(found.map(\.values) == expected.map(\.1), "groups by \(name), \(place)")
  }
}
