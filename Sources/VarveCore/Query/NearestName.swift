/// Finds the name that a misspelled one most likely stands for.
package enum NearestName {
  /// Returns the name with the fewest changes of a character, of two neighbours or of a case; nil
  /// if all names differ in more than a third of the misspelled one, and in more than one place.
  package static func of(_ name: String, among names: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().prefix(longest))
    let most = max(1, wanted.count / 3)
    var best: (distance: Int, name: String)?
    for candidate in names where candidate != name {
      let other = Array(candidate.lowercased().prefix(longest))
      guard abs(other.count - wanted.count) <= most else { continue }
      let distance = distance(wanted, other)
      guard distance <= most, distance < max(other.count, 1) else { continue }
      if best.map({ (distance, candidate) < ($0.distance, $0.name) }) ?? true {
        best = (distance, candidate)
      }
    }
    return best?.name
  }

  /// The characters of a name that are compared.
  private static let longest = 64

  /// Returns the number of insertions, deletions, replacements and exchanges of neighbours.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...right.count)
    for (row, character) in left.enumerated() {
      var next = [row + 1]
      for (column, other) in right.enumerated() {
        let replaced = last[column] + (character == other ? 0 : 1)
        var least = min(replaced, last[column + 1] + 1, next[column] + 1)
        if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
          least = min(least, before[column - 1] + 1)
        }
        next.append(least)
      }
      (before, last) = (last, next)
    }
    return last[right.count]
  }
}
