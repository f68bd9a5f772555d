import VarveCore

/// What a transaction did to stored commits, which the home of the log must do too.
struct HomeNews {
  /// The blocks that it replaced.
  var replaced: Set<Int64> = []
  /// The withheld commits that took effect.
  var released: [CommitID] = []
  /// What changed of the sealed space beside the commits.
  var records: [SealedRecord] = []
}
