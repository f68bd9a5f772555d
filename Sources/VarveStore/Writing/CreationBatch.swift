import VarveCore

/// Rows of a bulk creation on their way to the backend: a table that is handed over and begun
/// again, filled without a dictionary and without looking at more of a value than its kind and
/// size.
struct CreationBatch {
  /// How many rows are handed over at a time.
  static let rowCount = 512
  /// How many bytes, about.
  static let byteCount = 1 << 20

  /// What became of a row.
  enum Outcome {
    case added
    /// A column holds values of another kind, so of another semantic type: not added.
    case otherKinds
    /// The row needs cells of its own: not added.
    case tooLarge
  }

  private let keys: [PropertyKey]
  private var kinds: [Value.Kind?]
  private var table: Creations
  private var byteCount = 0

  init(_ type: EntityType, keys: [PropertyKey], at time: HybridTime?) {
    self.keys = keys
    kinds = Array(repeating: nil, count: keys.count)
    table = Creations(
      type: type,
      columns: keys.map { Creations.Column(key: $0, semanticType: "") },
      time: time
    )
    reserve()
  }

  private mutating func reserve() {
    table.ids.reserveCapacity(Self.rowCount)
    table.values.reserveCapacity(Self.rowCount * keys.count)
  }

  var isEmpty: Bool { table.ids.isEmpty }
  var isFull: Bool { table.ids.count >= Self.rowCount || byteCount >= Self.byteCount }

  /// Adds a row of as many values as there are keys.
  mutating func append(_ id: EntityID, _ values: [Value?]) -> Outcome {
    var size = 0
    for index in values.indices {
      guard let value = values[index] else { continue }
      let kind = value.kind
      if kinds[index] == nil { kinds[index] = kind }
      guard kinds[index] == kind else { return .otherKinds }
      guard let bytes = value.byteCountEstimate() else { return .tooLarge }
      size += bytes
    }
    guard size <= CreationRow.maximumByteCount else { return .tooLarge }
    byteCount += size
    table.ids.append(id)
    table.values.append(contentsOf: values)
    return .added
  }

  /// Hands the rows over and begins again.
  mutating func take() -> Creations {
    var full = table
    table.ids = []
    table.values = []
    byteCount = 0
    reserve()
    for index in keys.indices {
      full.columns[index].semanticType = kinds[index]?.name ?? ""
    }
    if kinds.contains(nil) { full = full.withoutColumns { kinds[$0] == nil } }
    kinds = Array(repeating: nil, count: keys.count)
    full.ordinals = Array(full.ids.indices)
    return full
  }
}

extension Creations {
  /// The table without the columns no row has a value in.
  fileprivate func withoutColumns(where isEmpty: (Int) -> Bool) -> Creations {
    let kept = columns.indices.filter { !isEmpty($0) }
    var table = Creations(type: type, columns: kept.map { columns[$0] }, time: time)
    table.ids = ids
    table.values.reserveCapacity(ids.count * kept.count)
    for row in ids.indices {
      for column in kept { table.values.append(values[row * columns.count + column]) }
    }
    return table
  }

  /// The properties of one row.
  func properties(ofRow row: Int) -> [PropertyChange] {
    columns.indices.compactMap { column in
      values[row * columns.count + column].map { value in
        PropertyChange(
          key: columns[column].key,
          property: .init(value, semanticType: columns[column].semanticType)
        )
      }
    }
  }
}
