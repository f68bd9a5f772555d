import VarveCore

/// What a process knows of an index's place at its home, without a look at either of them.
///
/// A wrong guess costs another look. What a transaction relies on stands in the index.
struct HomePlace {
  /// The last head that the index is known to have; nil before the first.
  private(set) var head: HomeHead?
  /// Whether the home has commits of a write that the index could not keep.
  var isBehind = false
  /// Whether the last turn found what others had written.
  var isShared = false

  /// Records that the index has everything up to a head.
  mutating func note(_ head: HomeHead) {
    self.head = head
    isBehind = false
  }
}
