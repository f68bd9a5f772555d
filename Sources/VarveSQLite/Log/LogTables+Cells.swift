import VarveCore

/// Reads single cells of stored blocks without decoding the others.
extension LogTables {
  /// Returns a cell of a block that is not indexed yet, if it is the first that is read and can be
  /// found without decoding the others, or was read recently.
  func skim(_ b: Int64, ordinal: Int) throws -> Cell.Content? {
    guard pending == nil else { return nil }
    if let content = recentBlocks.cells[b, ordinal] { return content }
    guard recentBlocks.isSkimmed(at: b) else { return nil }
    let content = try BlockContent.skim(try payload(ofBlock: b), ordinal: ordinal)
    if let content { recentBlocks.cells.add(content, b, ordinal: ordinal) }
    return content
  }

  /// Returns the cells of a property in an entity's creation, under the same conditions.
  func skimCreation(_ b: Int64, of id: EntityID, key: PropertyKey) throws -> [Cell]? {
    guard pending == nil else { return nil }
    if let cells = recentBlocks.cells[b, id, key] { return cells }
    guard recentBlocks.isSkimmed(at: b) else { return nil }
    let cells = try BlockContent.skimCreation(of: id, key: key, in: try payload(ofBlock: b))
    if let cells { recentBlocks.cells.add(cells, b, of: id, key: key) }
    return cells
  }
}
