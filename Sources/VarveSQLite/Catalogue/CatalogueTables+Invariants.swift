import VarveCore

extension CatalogueTables: InvariantChecking {
  /// Compares the copy with a newly loaded one.
  func checkInvariants() throws {
    let version = try connection.metaInteger("catalogue") ?? 0
    try require(
      version == copy.version,
      "the catalogue has version \(version), not \(copy.version)"
    )
    let stored = try load(version: version)
    try require(copy.keys == stored.keys, "the keys are not those of the catalogue")
    try require(
      copy.keyNumbers.count == copy.keys.count
        && copy.keyNumbers.allSatisfy { copy.keys[$0.value] == $0.key },
      "the numbers of keys are not those of the catalogue"
    )
    try require(copy.typeNumbers == stored.typeNumbers, "the types are not those of the catalogue")
    try require(copy.tableNames == stored.tableNames, "the tables are not those of the catalogue")
    try require(copy.pairForms == stored.pairForms, "the pairs are not those of the catalogue")
    try require(copy.awaits == stored.awaits, "what is awaited is not what the catalogue says")
    for (number, layout) in copy.layouts {
      // The copy has columns in order of creation, a loaded one in the order of their keys.
      let columns = layout.columns.sorted { $0.keyNumber < $1.keyNumber }
      let others = stored.layouts[number]?.columns.sorted { $0.keyNumber < $1.keyNumber }
      try require(
        columns == others && layout.isInOrder == stored.layouts[number]?.isInOrder,
        "the columns of table \(layout.table) are not those of the catalogue"
      )
    }
  }
}
