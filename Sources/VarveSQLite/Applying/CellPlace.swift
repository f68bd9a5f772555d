/// The place of a cell that is being applied.
struct CellPlace {
  var info: CommitInfo
  var block: Int64
  var ordinal: Int
}
