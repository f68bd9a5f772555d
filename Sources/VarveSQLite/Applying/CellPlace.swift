import VarveCore

/// Where a cell being applied stands.
struct CellPlace {
  var info: CommitInfo
  var block: Int64
  var ordinal: Int
}
