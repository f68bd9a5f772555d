import VarveCore

extension AdoptionPlan.Table {
  /// Returns the expressions that identify a row: the columns of its key, and its number where these
  /// may be null.
  func identityExpressions(_ alias: String) -> [String] {
    let number = "\(alias).\(rowNumber ?? "rowid")"
    guard !key.isEmpty else { return [number] }
    let columns = key.map { "\(alias).\(ForeignDatabase.quoted($0))" }
    guard keyMayBeNull else { return columns }
    return columns + [rowNumber == nil ? "NULL" : number]
  }

  /// The number of those expressions.
  var identityCount: Int { max(1, key.count + (keyMayBeNull ? 1 : 0)) }

  /// Returns the identifier of a row from the values that identify it; nil if there is none.
  func id(_ values: ArraySlice<Value?>) -> EntityID? {
    let identity = RowIdentity(identity)
    if let id = identity.id(values.prefix(max(1, key.count))) { return id }
    guard keyMayBeNull, case .int(let number)?? = values.last else { return nil }
    return identity.id(rowNumber: number)
  }

  /// Returns whether the key of a row has a null.
  func hasNull(_ values: ArraySlice<Value?>) -> Bool { values.prefix(key.count).contains(nil) }

  /// Returns a text that says which row has a null in its key.
  func keyRemark(_ values: ArraySlice<Value?>) -> String {
    var row = "a row"
    if keyMayBeNull, case .int(let number)?? = values.last { row = "row \(number)" }
    let parts = zip(key, values).map { "\($0) = \($1?.description ?? "null")" }
    return "\(name): \(row) has a null in its key, \(parts.joined(separator: ", "))"
  }
}
