package import VarveCore
package import VarveStore

/// The contents of a store at a moment, in numbers, and its current size.
package struct Statistics: Sendable {
  package let types: [TypeCount]
  package let tally: LogTally
  /// The sizes; nil for a past state, which has none of its own.
  package let sizes: StorageSizes?
  /// The commits that are ahead of the clock; none of a past state.
  package let ahead: [CommitsAhead]

  /// Computes the statistics.
  ///
  /// - Parameter progress: called with the progress of reading the commits.
  package init(
    of store: Store,
    at moment: Moment,
    _ progress: @Sendable (TallyProgress) -> Void = { _ in }
  ) async throws {
    (types, tally) = try await store.asOf(moment).read { state in
      (try await state.types(), try await state.tally(progress))
    }
    sizes = moment == .now ? try await store.storageSizes() : nil
    ahead = moment == .now ? try await store.commitsAhead() : []
  }

  /// The number of live entities of all types.
  package var entityCount: Int { types.reduce(0) { $0 + $1.count } }

  /// The statistics as JSON.
  package var json: JSON {
    [
      "types": .array(types.map { ["type": .string($0.type.text), "count": .count($0.count)] }),
      "entities": .count(entityCount), "commits": .count(tally.commitCount),
      "partial": .count(tally.partialCount), "operations": .count(tally.operationCount),
      "versions": .count(tally.valueCount + tally.removalCount),
      "values": .count(tally.valueCount), "removals": .count(tally.removalCount),
      "bytes": sizes?.json ?? .null, "ahead": .array(ahead.map(\.json)),
    ]
  }
}

extension StorageSizes {
  /// The sizes as JSON.
  fileprivate var json: JSON {
    [
      "file": .count(fileByteCount), "writeAhead": .count(writeAheadByteCount),
      "log": .count(logByteCount), "derived": .count(derivedByteCount),
      "measure": .string(measure.rawValue),
      "tables": .array(
        tables.map {
          ["table": .string($0.name), "bytes": .count($0.byteCount), "log": .bool($0.isLog)]
        }
      ),
    ]
  }
}
