package import VarveCore

/// The rows of a bulk creation on their way to the backend, collected in tables.
///
/// Adding a row uses no dictionary, and examines only the kind and size of each value.
package struct CreationBatch {
  /// The maximum number of rows in a table.
  static let rowCount = 512
  /// The approximate maximum size of a table, in bytes.
  static let byteCount = 1 << 20

  /// The outcome of adding a row.
  package enum Outcome {
    case added
    /// The row was not added, because a value has another kind than its column.
    case otherKinds
    /// The row was not added, because it needs cells of its own.
    case tooLarge
  }

  private let keys: [PropertyKey]
  private let semanticTypes: [PropertyKey: String]
  private var kinds: [Value.Kind?]
  private var table: Creations
  private var byteCount = 0

  /// Creates an empty batch.
  ///
  /// - Parameter semanticTypes: the semantic types of values, if they are not the names of their
  ///   kinds.
  package init(
    _ type: EntityType,
    keys: [PropertyKey],
    at time: HybridTime?,
    semanticTypes: [PropertyKey: String] = [:]
  ) {
    self.keys = keys
    self.semanticTypes = semanticTypes
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

  package var isEmpty: Bool { table.ids.isEmpty }
  package var isFull: Bool { table.ids.count >= Self.rowCount || byteCount >= Self.byteCount }

  /// Adds a row with one value for each key.
  mutating func append(_ id: EntityID, _ values: [Value?]) -> Outcome {
    let first = table.values.count
    for value in values { table.values.append(value) }
    return keep(id, from: first)
  }

  /// Adds a row with one value for each key.
  package mutating func append(_ id: EntityID, _ values: PackedValues) -> Outcome {
    append(id, values.indices, of: values)
  }

  /// Adds a row with one value for each key, which are at some places of other values.
  mutating func append(_ id: EntityID, _ places: Range<Int>, of values: PackedValues) -> Outcome {
    let first = table.values.count
    table.values.append(places, of: values)
    return keep(id, from: first)
  }

  /// Completes the row of the values that were appended, or removes them again.
  private mutating func keep(_ id: EntityID, from first: Int) -> Outcome {
    var size = 0
    for column in kinds.indices {
      guard let kind = table.values.kind(at: first + column) else { continue }
      if kinds[column] == nil { kinds[column] = kind }
      guard kinds[column] == kind else { return drop(.otherKinds) }
      guard let bytes = table.values.byteCountEstimate(at: first + column) else {
        return drop(.tooLarge)
      }
      size += bytes
    }
    guard size <= CreationRow.maximumByteCount else { return drop(.tooLarge) }
    byteCount += size
    table.ids.append(id)
    return .added
  }

  private mutating func drop(_ outcome: Outcome) -> Outcome {
    table.values.removeLast(keys.count)
    return outcome
  }

  /// Returns the rows, and starts over.
  package mutating func take() -> Creations {
    var full = table
    table.ids = []
    table.values = PackedValues()
    byteCount = 0
    for index in keys.indices {
      full.columns[index].semanticType = semanticTypes[keys[index]] ?? kinds[index]?.name ?? ""
    }
    if kinds.contains(nil) { full = full.withoutColumns { kinds[$0] == nil } }
    kinds = Array(repeating: nil, count: keys.count)
    full.ordinals = Array(full.ids.indices)
    return full
  }

  /// Takes the memory of rows that were written, for the next ones. Other memory would have to be
  /// obtained from the system, page by page.
  mutating func reuse(_ written: consuming Creations) {
    guard isEmpty else { return }
    swap(&table.ids, &written.ids)
    swap(&table.values, &written.values)
    table.ids.removeAll(keepingCapacity: true)
    table.values.removeAll()
  }
}

extension Creations {
  /// Returns the table without the columns in which no row has a value.
  fileprivate func withoutColumns(where isEmpty: (Int) -> Bool) -> Creations {
    let kept = columns.indices.filter { !isEmpty($0) }
    var table = Creations(type: type, columns: kept.map { columns[$0] }, time: time)
    table.ids = ids
    table.values.reserveCapacity(ids.count * kept.count)
    for row in ids.indices {
      for column in kept {
        let place = row * columns.count + column
        table.values.append(place..<place + 1, of: values)
      }
    }
    return table
  }

  /// Returns the properties of one row.
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
