public import VarveCore

/// What is stored of a model: its table, its properties and their rules.
///
/// ```swift
/// static let schema = Schema<Hat>("hats") {
///   SchemaField("color", \.color, .length(1...40))
///   SchemaField("brim_size", \.brimSize, .range(5...15))
/// }
/// ```
///
/// Make it once, as a static constant: backends keep what they prepare for it. A property added to a
/// schema later writes nothing; entities of before simply have no value for it.
public final class Schema<Model: Persistable>: Sendable {
  /// The type label of the entities: the name of their table.
  public let type: EntityType
  /// What messages call one of them.
  public let model: String
  /// The types whose entities are read as the model.
  let types: [EntityType]
  let fields: [SchemaField<Model>]
  /// Those with a column, in the order rows are read and written.
  let columns: [SchemaField<Model>]
  let shape: RowShape
  /// Keys that no two entities may have the same values of.
  let uniques: [[Int]]
  let createdAt: DateProperty<Model>?
  let updatedAt: DateProperty<Model>?
  /// Where the date of creation is stored.
  let creationKey: PropertyKey?
  /// Where the date of saving is stored.
  let savingKey: PropertyKey?
  let keys: [PropertyKey]
  /// Why the schema cannot be used, where it asks for what cannot be.
  let refusal: VarveError?
  /// What the schema demands of single properties.
  let checks: [SchemaCheck<Model>]
  /// Whether there are such: to ask the list itself costs every model saved a look-up of its type.
  let hasChecks: Bool
  private let positions: KeyPathPositions

  /// - Parameters:
  ///   - type: the type label; the plural of the model's name where none is given.
  ///   - model: what messages call one of them; the model's name with underscores where none is
  ///     given.
  ///   - uniqueTogether: lists of stored names, no two entities may have the same values of.
  ///   - fields: the properties, in the order they are read and written.
  public init(
    _ type: EntityType? = nil,
    model: String? = nil,
    uniqueTogether: [[String]] = [],
    @SchemaBuilder<Model> fields: () -> [SchemaField<Model>]
  ) {
    let name = model ?? ModelNames.underscored("\(Model.self)")
    self.model = name
    self.type = type ?? EntityType(ModelNames.plural(name))
    types = [self.type]
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
    createdAt = columns.first(where: \.isCreationDate)?.date
    updatedAt = columns.first(where: \.isSavingDate)?.date
    creationKey = columns.first(where: \.isCreationDate).map { PropertyKey($0.name) }
    savingKey = columns.first(where: \.isSavingDate).map { PropertyKey($0.name) }
    precondition(
      Set(fields.map(\.name)).count == fields.count,
      "two properties of \(Model.self) are stored under one name"
    )
  }

  /// What is wrong with the first property that asks for what cannot be.
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

  /// The field of a property of the model, or nil where it is not stored.
  func field(_ keyPath: AnyKeyPath) -> SchemaField<Model>? {
    positions[keyPath].map { fields[$0] }
  }

  /// What queries call a property of the model.
  func queried(_ keyPath: AnyKeyPath) -> Field {
    guard let field = field(keyPath), field.isColumn else {
      // A key path to the requirement is another than one to the model's own property.
      if keyPath is KeyPath<Model, Identifier<Model>> { return .identifier }
      // What the query cannot know is refused when it runs.
      return .property(PropertyKey("\(keyPath)"))
    }
    return field.field
  }

  /// The keys queries may name: the older names of properties too.
  var knownKeys: Set<PropertyKey> { Set(shape.columns.flatMap { [$0.key] + $0.older }) }

  /// All of them, as a query.
  var query: Query {
    var query = Query(type).including(types)
    query.knownKeys = knownKeys
    return query
  }
}

/// The properties of a schema, one after another.
@resultBuilder
public enum SchemaBuilder<Model: Persistable> {
  /// A property of the model.
  public static func buildExpression(_ field: SchemaField<Model>) -> SchemaField<Model> { field }

  /// The properties as a list.
  public static func buildBlock(_ fields: SchemaField<Model>...) -> [SchemaField<Model>] { fields }
}

/// Where each key path stands.
///
/// `@unchecked Sendable`: the key paths are literals of stored properties, which nothing changes.
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
