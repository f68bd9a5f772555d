package import VarveCore

extension Timeline {
  /// The timeline as JSON.
  package var json: JSON {
    [
      "total": .count(total),
      "intervals": .array(
        intervals.map {
          [
            "from": .string(DateWriter.exact($0.start)), "to": .string(DateWriter.exact($0.end)),
            "count": .count($0.count),
          ]
        }
      ),
      "series": .array(
        series.map {
          [
            "name": .optional($0.name), "total": .count($0.total),
            "counts": .array($0.counts.map { .count($0) }),
          ]
        }
      ),
    ]
  }
}

extension NeighboringCommits {
  /// The commits as JSON; null for none.
  package var json: JSON {
    ["previous": previous?.json ?? .null, "next": next?.json ?? .null]
  }
}
