import VarveCore

/// A row to insert, without its values.
struct NewRow {
  var number: Int64
  var id: EntityID
  var datestamp: HybridTime
  var modified: HybridTime?
  var ordinal: Int
  /// The index of its first value.
  var place: Int
  /// Additional entries of the overflow column.
  var overflow: Overflow?
}

extension Session {
  /// Inserts a row. Its values are those of the plan's keys, in order, starting at its place.
  func insert(_ row: NewRow, of values: PackedValues, _ plan: InsertionPlan) throws {
    try insert(CollectionOfOne(row), of: values, plan, plan.statement)
  }

  /// Inserts as many rows as a statement takes, which have the same dates.
  func insert(
    _ rows: some Collection<NewRow>,
    of values: PackedValues,
    _ plan: InsertionPlan,
    _ statement: Statement
  ) throws {
    statement.reserve(Self.rowByteCount * rows.count)
    // The texts of plain values are bound without copying: the storage outlives the run.
    try values.withStorage { slots, bytes in
      var base: Int32 = 0
      for row in rows {
        try bind(row, slots, bytes, of: values, plan, statement, after: base)
        base += plan.parameterCount
      }
      try statement.run()
    }
  }

  /// Other texts and blobs of a row up to this size are copied once; SQLite copies larger ones
  /// itself.
  private static let rowByteCount = 8_192

  /// Binds a row of a statement.
  ///
  /// - Parameter base: the number of parameters of the rows before.
  private func bind(
    _ row: NewRow,
    _ slots: UnsafeBufferPointer<PackedValues.Slot>,
    _ bytes: UnsafeRawBufferPointer,
    of values: PackedValues,
    _ plan: InsertionPlan,
    _ statement: Statement,
    after base: Int32
  ) throws {
    statement.bind(base + InsertionPlan.row, row.number)
    statement.bind(base + InsertionPlan.id, row.id)
    if base == 0 {
      statement.bind(InsertionPlan.datestamp, row.datestamp.rawValue)
      statement.bind(InsertionPlan.modified, row.modified?.rawValue)
    }
    statement.bind(base + InsertionPlan.ordinal, Int64(row.ordinal))
    var overflow = row.overflow
    for index in plan.places.indices {
      let place = plan.places[index]
      let slot = slots[row.place + index]
      if place.isPlain, slot.kind == place.kind,
        statement.bind(base + place.parameter, slot, in: bytes)
      {
        continue
      }
      guard let value = values[row.place + index] else {
        if place.parameter > 0 { statement.bindNull(base + place.parameter) }
        continue
      }
      try bind(
        value,
        plan.columns[index].semanticType,
        plan.targets[index],
        statement,
        after: base,
        &overflow,
        plan.layout.type
      )
    }
    if let bytes = overflow?.encoded {
      statement.bind(base + InsertionPlan.more, blob: bytes)
    } else {
      statement.bindNull(base + InsertionPlan.more)
    }
  }

  /// Binds a value that is not plain: in its column if it fits, with an overflow entry if needed.
  private func bind(
    _ value: Value,
    _ semanticType: String,
    _ target: (column: ColumnLayout, parameter: Int32?),
    _ statement: Statement,
    after base: Int32,
    _ overflow: inout Overflow?,
    _ type: EntityType
  ) throws {
    let column = target.column
    let stays = column.holds(value)
    if let parameter = target.parameter {
      if stays {
        statement.bind(base + parameter, value)
      } else {
        statement.bindNull(base + parameter)
      }
    }
    guard !stays || !semanticType.isSame(as: column.semanticType) else { return }
    overflow = overflow ?? Overflow()
    overflow?.entries[column.keyNumber] = .init(
      semanticType: semanticType,
      value: stays ? nil : value
    )
    try catalogue.noteSpill(column.key, of: type, value)
  }
}
