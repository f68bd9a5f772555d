import VarveCore

/// The statements that insert rows of one type and shape, and the place of each value.
final class InsertionPlan {
  /// The keys of the source.
  let columns: [Creations.Column]
  /// The version of the catalogue that the plan is for.
  let version: Int64
  let layout: TableLayout
  /// Inserts one row.
  let statement: Statement
  /// Inserts ``groupCount`` rows; nil if a row has too many values for that.
  private let groupSQL: String?
  private var groupStatement: Statement?
  /// For each key of the source: its column in the layout, and its parameter, if any.
  let targets: [(column: ColumnLayout, parameter: Int32?)]
  /// A compact form of ``targets``, with the conditions for binding a value directly.
  let places: [Place]

  /// The place of a value, for each key of the source.
  struct Place {
    /// Its parameter, or 0.
    var parameter: Int32
    var kind: Value.Kind
    /// Whether a value of that kind needs no overflow entry, because its semantic type is the
    /// column's.
    var isPlain: Bool
  }

  init(
    _ columns: [Creations.Column],
    _ targets: [(column: ColumnLayout, parameter: Int32?)],
    of layout: TableLayout,
    version: Int64,
    statement: Statement,
    groupSQL: String?
  ) {
    self.columns = columns
    self.targets = targets
    self.layout = layout
    self.version = version
    self.statement = statement
    self.groupSQL = groupSQL
    parameterCount = Self.more + Int32(targets.count { $0.parameter != nil })
    places = zip(targets, columns).map { target, source in
      Place(
        parameter: target.parameter ?? 0,
        kind: target.column.kind,
        isPlain: target.parameter != nil
          && target.column.semanticType.isSame(as: source.semanticType)
      )
    }
  }

  /// Returns the statement that inserts ``groupCount`` rows, prepared on first use.
  func grouped(_ connection: Connection) throws -> Statement? {
    if groupStatement == nil { groupStatement = try groupSQL.map(connection.statement) }
    return groupStatement
  }

  /// The number of rows in one statement, if there are many. It seeks once, and costs two thirds of
  /// as many single statements; larger groups would gain little.
  static let groupCount = 8
  /// The maximum number of parameters of a row in such a statement.
  static let groupWidth = 100

  /// The parameters of the fixed columns.
  static let row: Int32 = 1
  static let id: Int32 = 2
  static let datestamp: Int32 = 3
  static let modified: Int32 = 4
  static let ordinal: Int32 = 5
  static let more: Int32 = 6

  /// The number of parameters of a row.
  let parameterCount: Int32

  /// Whether the rows of a group share a parameter: that of the first row.
  static func isShared(_ parameter: Int32) -> Bool {
    parameter == datestamp || parameter == modified
  }

  /// Returns the values of a row of a group.
  fileprivate static func row(_ number: Int, width: Int) -> String {
    let parameters = (1...Int32(width)).map { parameter in
      isShared(parameter) ? parameter : parameter + Int32(number * width)
    }
    return "(" + parameters.map { "?\($0)" }.joined(separator: ", ") + ")"
  }
}

extension Session {
  /// Returns the plan for rows of a type with these keys. Missing tables and columns are created.
  func insertionPlan(
    _ type: EntityType,
    _ columns: [Creations.Column],
    kind: (Int) -> Value.Kind?
  ) throws -> InsertionPlan {
    if let plan = plans.insertion, plan.version == catalogue.version, plan.layout.type == type,
      plan.columns == columns
    {
      return plan
    }
    let keys = columns.enumerated().map { index, source in
      CatalogueTables.NewKey(
        key: source.key,
        kind: kind(index) ?? .string,
        semanticType: source.semanticType
      )
    }
    var layout = try ensureLayout(type, with: keys)
    var targets: [(column: ColumnLayout, parameter: Int32?)] = []
    var names: [String] = []
    for key in keys {
      let column = try ensureColumn(key, of: &layout)
      if let name = column.column {
        names.append(name.quotedIdentifier)
        targets.append((column, InsertionPlan.more + Int32(names.count)))
      } else {
        targets.append((column, nil))
      }
    }
    let all = PhysicalNames.fixedColumns + names
    let row = "(" + repeatElement("?", count: all.count).joined(separator: ", ") + ")"
    let rows = (0..<InsertionPlan.groupCount).map { InsertionPlan.row($0, width: all.count) }
      .joined(separator: ", ")
    let place = "INTO \(layout.table.quotedIdentifier) (\(all.joined(separator: ", "))) VALUES"
    let plan = InsertionPlan(
      columns,
      targets,
      of: layout,
      version: catalogue.version,
      statement: try connection.statement("INSERT \(place) \(row)"),
      // A failure ends the transaction, so SQLite need not be able to undo some of the rows.
      groupSQL: all.count <= InsertionPlan.groupWidth ? "INSERT OR FAIL \(place) \(rows)" : nil
    )
    plans.insertion = plan
    return plan
  }
}
