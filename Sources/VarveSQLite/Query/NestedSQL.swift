import VarveCore

/// How often SQLite repeats parts of a statement when it prepares it.
///
/// A table expression that is named twice is compiled twice, and an expression that a subquery names
/// twice is copied twice, so a chain of `n` such parts takes the time of `2ⁿ`. SQLite looks at no
/// deadline meanwhile.
struct NestedSQL {
  /// A query in parentheses, a table expression, or the whole statement.
  private struct Body {
    /// How often each name occurs, in the queries within it too.
    var names: [String: Int] = [:]
    /// The queries directly within it.
    var inner: [Int] = []
  }

  private var bodies = [Body()]
  /// The table expressions by name.
  private var named: [String: [Int]] = [:]
  private var weights: [Int: Double] = [:]

  /// The greatest number of repetitions of a statement that is prepared in a moment.
  static let limit = 100_000.0
  /// The most queries within a statement.
  private static let bodyLimit = 500

  init(_ sql: String) {
    var tokens = SQLTokens(sql)
    /// The open parentheses: the query in each, and the name before it.
    var open: [(body: Int?, name: String?)] = []
    var path = [0]
    // The name that AS would define, and the one that it did.
    var (candidate, definition): (String?, String?) = (nil, nil)
    var isFirst = false
    while let token = tokens.next() {
      let begins = isFirst
      isFirst = false
      switch token {
      case .open:
        open.append((nil, definition ?? candidate))
        isFirst = true
      case .close:
        guard let closed = open.popLast() else { break }
        if closed.body != nil { path.removeLast() }
        candidate = closed.name
        continue
      case .word("as"):
        definition = candidate
        continue
      case .word("not"), .word("materialized"): continue
      case .word("select"), .word("values"), .word("with"):
        guard begins, !open.isEmpty else { break }
        let body = bodies.count
        bodies.append(Body())
        bodies[path[path.count - 1]].inner.append(body)
        path.append(body)
        open[open.count - 1].body = body
        if let name = open[open.count - 1].name { named[name, default: []].append(body) }
      case .name(let name):
        candidate = name
        definition = nil
        if !tokens.isQualifier { for body in path { bodies[body].names[name, default: 0] += 1 } }
        continue
      case .word, .other: break
      }
      (candidate, definition) = (nil, nil)
    }
  }

  /// A bound of the number of times that a part is repeated.
  mutating func repetitionCount() -> Double {
    guard bodies.count <= Self.bodyLimit else { return .infinity }
    var visiting: Set<Int> = []
    return weight(of: 0, &visiting)
  }

  private mutating func weight(of body: Int, _ visiting: inout Set<Int>) -> Double {
    if let known = weights[body] { return known }
    // A recursive table expression names itself. If a name has several meanings, it may be another.
    guard visiting.insert(body).inserted else {
      return named.values.contains { $0.count > 1 } ? .infinity : 1
    }
    defer { visiting.remove(body) }
    var below = bodies[body].inner
    for name in bodies[body].names.keys { below += named[name] ?? [] }
    var greatest = 0.0
    for other in Set(below) where other != body {
      greatest = max(greatest, weight(of: other, &visiting))
    }
    // A query that reads tables alone repeats nothing.
    let repeats = Double(bodies[body].names.values.max() ?? 1)
    let weight = greatest == 0 ? 1 : max(1, repeats) * greatest
    weights[body] = weight
    return weight
  }
}
