import VarveCore

extension Store.Configuration {
  /// A century in milliseconds: sums with it stay in the range of a `HybridTime`.
  private static let longestTolerance: Int64 = 100 * 366 * 86_400_000

  /// The clock tolerance in milliseconds.
  package var toleranceMilliseconds: Int64 {
    min(Int64(clockTolerance.wholeMilliseconds), Self.longestTolerance)
  }
}
