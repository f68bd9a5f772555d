import VarveCore

/// The model of a Core Data store, as far as its tables show it.
///
/// Names of properties are in lower case, because the tables do not keep their spelling. A column
/// that has the name of an entity is taken for a reference to it.
struct CoreDataShape {
  private struct Entity {
    let number: Int64
    let name: String
    let parent: Int64
  }

  private let entities: [Int64: Entity]

  private static let bookkeeping: Set<String> = [
    "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION",
    "ATRANSACTIONSTRING",
  ]

  /// Reads the entities, or returns nil if the database is not one of Core Data.
  init?(_ database: ForeignDatabase) throws {
    let sql = """
      SELECT count(*) FROM pragma_table_info('Z_PRIMARYKEY')
      WHERE name IN ('Z_ENT', 'Z_NAME', 'Z_SUPER')
      """
    guard try database.all(sql).first?.first == .int(3) else { return nil }
    var entities: [Int64: Entity] = [:]
    for row in try database.all("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY") {
      guard let number = row[0]?.intValue, let name = row[1]?.stringValue else { continue }
      entities[number] = Entity(number: number, name: name, parent: row[2]?.intValue ?? 0)
    }
    self.entities = entities
  }

  /// Returns the entity whose table holds the rows of another.
  private func root(_ number: Int64) -> Entity? {
    var entity = entities[number]
    // A damaged table may name parents in a circle.
    for _ in entities where entity?.parent != 0 { entity = entities[entity?.parent ?? 0] ?? entity }
    return entity
  }

  private func table(of number: Int64) -> String? {
    root(number).map { "Z" + $0.name.uppercased() }
  }

  func apply(to plan: inout AdoptionPlan) {
    plan.tables.removeAll {
      // Tables with this prefix belong to the synchronisation with iCloud.
      Self.bookkeeping.contains($0.name) || $0.name.hasPrefix("ANSCK")
    }
    let names = Set(plan.tables.map(\.name))
    let roots = Dictionary(
      entities.values.compactMap { entity in table(of: entity.number).map { ($0, entity) } },
      uniquingKeysWith: { first, second in first.number < second.number ? first : second }
    )
    for index in plan.tables.indices {
      let table = plan.tables[index]
      if let some = roots[table.name], let root = root(some.number) {
        plan.tables[index] = entityTable(table, root, names)
      } else if let link = linkTable(table, names) {
        plan.tables[index] = link
      }
    }
  }

  private func entityTable(
    _ table: AdoptionPlan.Table,
    _ root: Entity,
    _ names: Set<String>
  ) -> AdoptionPlan.Table {
    let columns = table.columns.map { column in
      var column = column
      column.property = Self.property(column.name)
      if column.reading == .date { column.reading = .referenceDate }
      return column
    }
    let references = table.columns.compactMap { column -> AdoptionPlan.Reference? in
      guard let property = Self.property(column.name),
        let other = target(of: column.name, in: table), names.contains(other)
      else { return nil }
      return .init(
        columns: [column.name],
        table: other,
        targetColumns: ["Z_PK"],
        property: property,
        isOwned: false
      )
    }
    var made = AdoptionPlan.Table(
      name: table.name,
      identity: root.name,
      columns: columns,
      references: references,
      key: table.key,
      keyMayBeNull: table.keyMayBeNull
    )
    let kinds = entities.values.filter { self.root($0.number)?.number == root.number }
    if kinds.count > 1, table.columns.contains(where: { $0.name == "Z_ENT" }) {
      let types = kinds.map { ($0.number, EntityType($0.name)) }
      made.kinds = .init(column: "Z_ENT", types: Dictionary(uniqueKeysWithValues: types))
    }
    return made
  }

  /// Returns the table that a column refers to. Beside a reference to an entity with inheritance,
  /// the column `Z3_NAME` has the number of each row's entity, of which 3 is the common one.
  private func target(of column: String, in table: AdoptionPlan.Table) -> String? {
    let name = column.dropFirst()
    for other in table.columns {
      guard let number = Self.inheritance(other.name), number.name == name else { continue }
      return self.table(of: number.entity)
    }
    return entities.values.first { "Z" + $0.name.uppercased() == column }
      .flatMap { self.table(of: $0.number) }
  }

  /// Returns the number and the name of `Z3_NAME`.
  private static func inheritance(_ column: String) -> (entity: Int64, name: Substring)? {
    let digits = column.dropFirst().prefix { $0.isASCII && $0.isNumber }
    let rest = column.dropFirst(1 + digits.count)
    guard column.hasPrefix("Z"), rest.hasPrefix("_"), let entity = Int64(digits) else { return nil }
    return (entity, rest.dropFirst())
  }

  /// Returns the property of a column; nil for the columns of Core Data itself.
  private static func property(_ column: String) -> PropertyKey? {
    guard column.hasPrefix("Z"), !column.hasPrefix("Z_"), column.count > 1,
      inheritance(column) == nil
    else { return nil }
    return PropertyKey(column.dropFirst().lowercased())
  }

  /// Returns the link of a table such as `Z_1TAGS` with the columns `Z_1NOTES` and `Z_2TAGS`.
  private func linkTable(
    _ table: AdoptionPlan.Table,
    _ names: Set<String>
  ) -> AdoptionPlan.Table? {
    guard let (source, relation) = Self.numbered(table.name) else { return nil }
    var ends: [(number: Int64, reference: AdoptionPlan.Reference)] = []
    var columns: [AdoptionPlan.Column] = []
    for column in table.columns where !column.name.hasPrefix("Z_FOK_") {
      guard let (number, name) = Self.numbered(column.name), let other = self.table(of: number),
        names.contains(other)
      else { return nil }
      let reference = AdoptionPlan.Reference(
        columns: [column.name],
        table: other,
        targetColumns: ["Z_PK"],
        property: PropertyKey(name),
        isOwned: false
      )
      ends.append((number, reference))
      columns.append(column)
    }
    guard ends.count == 2 else { return nil }
    if ends[0].number != source
      || ends[0].number == ends[1].number
        && ends[0].reference.property.text == relation
    {
      ends.swapAt(0, 1)
    }
    var made = AdoptionPlan.Table(
      name: table.name,
      identity: table.name,
      columns: columns,
      references: ends.map(\.reference),
      key: table.key,
      keyMayBeNull: table.keyMayBeNull
    )
    made.type = EntityType(relation)
    return made
  }

  /// Returns the number and the name of `Z_12NAME`.
  private static func numbered(_ text: String) -> (Int64, String)? {
    guard text.hasPrefix("Z_") else { return nil }
    let rest = text.dropFirst(2)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits), digits.count < rest.count else { return nil }
    return (number, rest.dropFirst(digits.count).lowercased())
  }
}
