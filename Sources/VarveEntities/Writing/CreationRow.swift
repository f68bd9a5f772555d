import VarveCore

/// One creation as a table of one row, and the properties that need cells of their own: large
/// values, and those that would make the row or the table's header too long for a block.
struct CreationRow {
  private(set) var table: Creations
  private(set) var rest: [PropertyChange] = []

  /// The maximum number of columns of a table.
  static let maximumColumnCount = 512
  /// The maximum size of the values, and of the names, in a row.
  static let maximumByteCount = BlockContent.chunkByteCount / 2
  /// The size of most texts, for which room is reserved.
  private static let usualByteCount = 16

  init(_ type: EntityType, id: EntityID, _ properties: [PropertyChange], at time: HybridTime?) {
    table = Creations(type: type, columns: [], time: time)
    table.ids = [id]
    table.ordinals = [0]
    table.columns.reserveCapacity(properties.count)
    table.values.reserveCapacity(
      properties.count,
      byteCount: properties.count * Self.usualByteCount
    )
    var byteCount = 0
    // Each part is read where it is. Copies of whole changes would count references to all parts.
    for place in properties.indices {
      guard let value = properties[place].value else { continue }
      let key = properties[place].key
      let semanticType = properties[place].semanticType
      let size =
        (value.byteCountEstimate() ?? 0) + key.text.utf8.count + semanticType.utf8.count
      if table.columns.count == Self.maximumColumnCount
        || byteCount + size > Self.maximumByteCount
      {
        rest.append(properties[place])
        continue
      }
      byteCount += size
      table.columns.append(.init(key: key, semanticType: semanticType))
      table.values.append(value)
    }
  }
}
