import VarveCore
package import VarveStore

extension Replica {
  /// The replica as JSON.
  package var json: JSON {
    [
      "replica": .string(id.text), "own": .bool(isOwn), "state": .string(state.rawValue),
      "chains": .count(chainCount), "commits": .count(commitCount),
      "newest": .integer(newestNumber),
      "first": .optional(times.map { DateWriter.exact($0.lowerBound) }),
      "last": .optional(times.map { DateWriter.exact($0.upperBound) }),
    ]
  }
}
