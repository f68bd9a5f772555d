public import VarveCore

/// The description of a stored model: its table, its properties and their rules.
///
/// ```swift
/// static let schema = Schema<Hat>("hats") {
///   SchemaField("color", \.color, .length(1...40))
///   SchemaField("brim_size", \.brimSize, .range(5...15))
/// }
/// ```
///
/// Create it once, as a static constant, because backends cache statements for it. Adding a
/// property to a schema writes nothing; existing entities have no value for it.
public final class Schema<Model: Persistable>: Sendable {
  /// The type label of the entities, which is the name of their table.
  public let type: EntityType
  /// The name of the model in messages.
  public let model: String
  /// The types whose entities are read as the model: its own, and those it was renamed from.
  let types: [EntityType]
  let fields: [SchemaField<Model>]
  /// The properties with a column, in the order in which rows are read and written.
  let columns: [SchemaField<Model>]
  let shape: RowShape
  /// The lists of properties whose values must be unique together.
  let uniques: [[Int]]
  /// The lists of properties that have an index together.
  let indexedTogether: [[PropertyKey]]
  let createdAt: DateProperty<Model>?
  let updatedAt: DateProperty<Model>?
  /// The property with the date of creation.
  let creationKey: PropertyKey?
  /// The property with the date of the last save.
  let savingKey: PropertyKey?
  let keys: [PropertyKey]
  /// The error, if the schema is invalid.
  let refusal: VarveError?
  /// The checks of single properties.
  let checks: [SchemaCheck<Model>]
  /// Whether there are checks. Reading the list itself would cost a type lookup for every saved
  /// model.
  let hasChecks: Bool
  private let positions: KeyPathPositions

  /// Creates a schema.
  ///
  /// - Parameters:
  ///   - type: the type label; by default the plural of the model's name.
  ///   - model: the name of the model in messages; by default its type name with underscores.
  ///   - former: the type labels that the model had before. Their entities are read and saved as
  ///     this model and keep their label; new ones have the present label.
  ///   - uniqueTogether: lists of stored names whose values must be unique together.
  ///   - indexedTogether: lists of stored names that have an index together, the first with
  ///     precedence.
  ///   - fields: the properties, in the order in which they are read and written.
  public init(
    _ type: EntityType? = nil,
    model: String? = nil,
    renamedFrom former: [EntityType] = [],
    uniqueTogether: [[String]] = [],
    indexedTogether: [[String]] = [],
    @SchemaBuilder<Model> fields: () -> [SchemaField<Model>]
  ) {
    let name = model ?? ModelNames.underscored("\(Model.self)")
    self.model = name
    let own = type ?? EntityType(ModelNames.plural(name))
    self.type = own
    types = [own] + former.filter { $0 != own }
    let fields = fields()
    self.fields = fields
    let columns = fields.filter(\.isColumn)
    self.columns = columns
    shape = RowShape(columns.map(\.column))
    keys = columns.map { PropertyKey($0.name) }
    checks = columns.flatMap(\.checks)
    hasChecks = !checks.isEmpty
    refusal = Self.refusal(of: fields)
    positions = KeyPathPositions(fields.map(\.keyPath))
    uniques =
      columns.indices.filter { columns[$0].isUnique }.map { [$0] }
      + uniqueTogether.map { names in
        names.map { name in
          guard let index = columns.firstIndex(where: { $0.name == name }) else {
            preconditionFailure("the schema of \(Model.self) has no property \"\(name)\"")
          }
          return index
        }
      }
    for name in indexedTogether.joined() where !columns.contains(where: { $0.name == name }) {
      preconditionFailure("the schema of \(Model.self) has no property \"\(name)\"")
    }
    self.indexedTogether = indexedTogether.map { $0.map { PropertyKey($0) } }
    createdAt = columns.first(where: \.isCreationDate)?.date
    updatedAt = columns.first(where: \.isSavingDate)?.date
    creationKey = columns.first(where: \.isCreationDate).map { PropertyKey($0.name) }
    savingKey = columns.first(where: \.isSavingDate).map { PropertyKey($0.name) }
    precondition(
      Set(fields.map(\.name)).count == fields.count,
      "two properties of \(Model.self) are stored under one name"
    )
  }

  /// Returns the error for the first property with an invalid option, or nil.
  private static func refusal(of fields: [SchemaField<Model>]) -> VarveError? {
    for (isDate, option) in [
      (\SchemaField<Model>.isCreationDate, "createdAt"),
      (\.isSavingDate, "updatedAt"),
    ] {
      let dates = fields.filter { $0[keyPath: isDate] }
      guard dates.count > 1 else { continue }
      return dates[1].refusal(".\(option)", "is declared of two properties")
    }
    return fields.lazy.compactMap(\.refusal).first
  }

  /// Returns the field of a property of the model, or nil if it is not stored.
  func field(_ keyPath: AnyKeyPath) -> SchemaField<Model>? {
    positions[keyPath].map { fields[$0] }
  }

  /// Returns how values of a property are stored; nil if it has no column.
  func stored<V>(_ keyPath: KeyPath<Model, V>) -> StoredForm<V>? {
    if let field = field(keyPath) { return field.stored as? StoredForm<V> }
    // A key path to the protocol's requirement differs from one to the model's own property.
    return StoredForm<Identifier<Model>>() as? StoredForm<V>
  }

  /// Returns the field of a property in queries.
  func queried(_ keyPath: AnyKeyPath) -> Field {
    guard let field = field(keyPath), field.isColumn else {
      // A key path to the protocol's requirement differs from one to the model's own property.
      if keyPath is KeyPath<Model, Identifier<Model>> { return .identifier }
      // A property that is not in the schema is refused when the query runs.
      return .property(PropertyKey("\(keyPath)"))
    }
    return field.field
  }

  /// The keys that queries may use, including former names.
  var knownKeys: Set<PropertyKey> { Set(shape.columns.flatMap { [$0.key] + $0.older }) }

  /// A query for all entities of the model.
  var query: Query {
    var query = Query(type).including(types)
    query.knownKeys = knownKeys
    query.tokenizers = tokenizers
    return query
  }
}

/// Builds the list of a schema's properties.
@resultBuilder
public enum SchemaBuilder<Model: Persistable> {
  /// A property of the model.
  public static func buildExpression(_ field: SchemaField<Model>) -> SchemaField<Model> { field }

  /// The properties as a list.
  public static func buildBlock(_ fields: SchemaField<Model>...) -> [SchemaField<Model>] { fields }
}

/// The index of each key path.
///
/// `@unchecked Sendable`: the key paths are literals of stored properties, which are immutable.
private final class KeyPathPositions: @unchecked Sendable {
  private let positions: [AnyKeyPath: Int]

  init(_ keyPaths: [AnyKeyPath]) {
    positions = Dictionary(
      keyPaths.enumerated().map { ($1, $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  subscript(_ keyPath: AnyKeyPath) -> Int? { positions[keyPath] }
}
