import VarveCore

/// The place of a model's property in the columns of a statement.
struct FieldPlan {
  /// The position of its column, or -1.
  var position: Int32
  /// The kind of the column's values.
  var kind: Value.Kind
  /// Whether the value may be elsewhere: in the overflow column, or under an older name.
  var isIndirect: Bool
}

/// The plan for reading a model's properties from the rows of a table.
struct ShapePlan {
  let shape: RowShape
  /// The type whose table the plan is for.
  let typeNumber: Int64
  let fields: [FieldPlan]
  /// The columns to select, in the order in which they are read.
  let columns: [String]
  /// The position of the overflow column, or -1 if it is not needed.
  let morePosition: Int32
  /// The position of the type's number, or -1 if all rows have one type.
  let typePosition: Int32
  /// All places of each property, its newest name first; empty if the column has every value.
  let places: [[Place]]

  /// A place where a property may be stored.
  struct Place {
    let position: Int32
    let kind: Value.Kind
    let keyNumber: Int64
  }

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - shape: the model's properties.
  ///   - source: the table.
  ///   - hasTypes: whether rows have a column with their type.
  init(_ shape: RowShape, _ source: TableSource, hasTypes: Bool = false) {
    self.shape = shape
    typeNumber = source.layout.typeNumber
    var columns = ["\(source.alias).id"]
    var fields: [FieldPlan] = []
    var places: [[Place]] = []
    var readsMore = false
    for column in shape.columns {
      var own: [Place] = []
      var spills = false
      for layout in ([column.key] + column.older).compactMap(source.layout.column) {
        var position: Int32 = -1
        if let name = layout.column {
          position = Int32(columns.count)
          columns.append("\(source.alias).\(name.quotedIdentifier)")
        }
        if layout.isSpilled || layout.column == nil { (readsMore, spills) = (true, true) }
        own.append(Place(position: position, kind: layout.kind, keyNumber: layout.keyNumber))
      }
      let first = own.first
      let isIndirect = own.count > 1 || spills
      fields.append(
        FieldPlan(
          position: first?.position ?? -1,
          kind: first?.kind ?? .string,
          isIndirect: isIndirect
        )
      )
      places.append(isIndirect ? own : [])
    }
    morePosition = readsMore ? Int32(columns.count) : -1
    if readsMore { columns.append("\(source.alias).more") }
    typePosition = hasTypes ? Int32(columns.count) : -1
    if hasTypes { columns.append("\(source.alias).varve_type") }
    self.fields = fields
    self.places = places
    self.columns = columns
  }
}
