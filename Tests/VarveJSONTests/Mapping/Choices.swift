import VarveTestSupport

/// Combinations of one value for each of several choices, as indices.
enum Choices {
  /// All combinations.
  static func all(_ counts: [Int]) -> [[Int]] {
    counts.reduce([[]]) { known, count in
      known.flatMap { choices in (0..<count).map { choices + [$0] } }
    }
  }

  /// Combinations in which every two values of different choices occur together: of some random
  /// ones, always the one with the most new pairs.
  static func pairs(_ counts: [Int], _ random: inout SplitMix64) -> [[Int]] {
    var missing: Set<[Int]> = []
    for (first, second) in places(counts.count) {
      for one in 0..<counts[first] {
        for other in 0..<counts[second] { missing.insert([first, one, second, other]) }
      }
    }
    var combinations: [[Int]] = []
    while let pair = missing.min(by: { $0.lexicographicallyPrecedes($1) }) {
      var best: (choices: [Int], new: [[Int]])?
      for _ in 0..<40 {
        var choices = counts.map { Int.random(in: 0..<$0, using: &random) }
        choices[pair[0]] = pair[1]
        choices[pair[2]] = pair[3]
        let new = places(counts.count).map { [$0, choices[$0], $1, choices[$1]] }
          .filter { missing.contains($0) }
        if new.count > best?.new.count ?? 0 { best = (choices, new) }
      }
      guard let best else { continue }
      combinations.append(best.choices)
      missing.subtract(best.new)
    }
    return combinations
  }

  private static func places(_ count: Int) -> [(Int, Int)] {
    (0..<count).flatMap { first in (first + 1..<count).map { (first, $0) } }
  }
}
