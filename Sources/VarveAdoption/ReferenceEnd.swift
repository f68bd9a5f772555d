import VarveCore

/// A foreign key, and the table to which it refers, as SQL that finds the row.
///
/// The row is found as SQLite finds the parent of a foreign key: the parent's column determines
/// affinity and collation, and that of the foreign key has none. The integer 1 refers to the text `1`,
/// and not to `01`, which equals 1 only as a number. Source: *SQLite Foreign Key Support*, section 3.
struct ReferenceEnd {
  let reference: AdoptionPlan.Reference
  let target: AdoptionPlan.Table

  /// The expressions of the identity of the row that is referred to. If there is no row, a
  /// reference to the whole key has the identity that the row would have.
  var keyExpressions: [String] {
    // Only a key that is not unique finds several rows, which SQLite refuses. It refers to none.
    let found = target.identityExpressions("t").map {
      "(SELECT CASE count(*) WHEN 1 THEN max(\($0)) END \(source))"
    }
    let ends = reference.targetColumns.map { ForeignName($0) }
    guard !target.key.isEmpty, Set(target.key.map { ForeignName($0) }) == Set(ends) else {
      return found
    }
    let keys = zip(found, target.key).map { found, key in
      let place = ends.firstIndex(of: ForeignName(key)) ?? 0
      return "coalesce(\(found), \(stored(at: place)))"
    }
    return keys + found.dropFirst(keys.count)
  }

  /// The expressions of the identity of the row that is referred to, and whether there is
  /// such a row.
  var endExpressions: [String] {
    keyExpressions + ["(SELECT count(*) = 1 \(source))"]
  }

  private var source: String {
    let condition = reference.targetColumns.enumerated().map { place, column in
      // A unary plus takes the affinity from a column.
      "t.\(ForeignDatabase.quoted(column)) = +\(own(at: place))"
    }.joined(separator: " AND ")
    return "FROM main.\(ForeignDatabase.quoted(target.name)) t WHERE \(condition)"
  }

  /// Returns the value of a column of the foreign key as the column to which it refers would store
  /// it.
  private func stored(at place: Int) -> String {
    let column = reference.targetColumns[place]
    let affinity = target.columns.first { $0.name.isSameName(column) }?.affinity ?? .blob
    return affinity.applied(to: own(at: place))
  }

  private func own(at place: Int) -> String {
    "s.\(ForeignDatabase.quoted(reference.columns[place]))"
  }
}
