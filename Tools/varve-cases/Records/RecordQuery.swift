import VarveCore
import VarveJSON
import VarveStore

/// A query as a case describes it.
struct RecordQuery {
  let model: any RecordModel.Type
  private(set) var query: Query

  init(_ spec: JSON) throws {
    model = try RecordModels.model(spec["model"]?.stringValue)
    query = try Self.beginning(model, spec["from"])
    try add(spec["steps"])
  }

  /// Returns the query with further steps.
  func adding(_ steps: JSON?) throws -> RecordQuery {
    var copy = self
    try copy.add(steps)
    return copy
  }

  private static func beginning(_ model: any RecordModel.Type, _ from: JSON?) throws -> Query {
    guard let from else { return Query(model.entityType) }
    let foreignKey = from["foreignKey"]?.stringValue
    if let source = from["toMany"] {
      let other = try RecordModels.model(source["model"]?.stringValue)
      return .toMany(
        model.entityType,
        of: try RecordModels.id(other.name, source["id"] ?? .null),
        by: PropertyKey(foreignKey ?? other.foreignKeyName)
      )
    }
    guard let spec = from["through"] else { throw CaseFailure.malformed("from is neither") }
    let middle = try RecordQuery(spec)
    let joinToMany = from["joinToMany"] == true
    let usual = joinToMany ? middle.model.foreignKeyName : model.foreignKeyName
    return try .toMany(
      model.entityType,
      through: middle.query,
      by: PropertyKey(foreignKey ?? usual),
      joinToMany: joinToMany
    )
  }

  private mutating func add(_ steps: JSON?) throws {
    for step in steps?.elements ?? [] {
      let parts = step.elements ?? []
      guard let name = parts.first?.stringValue else {
        throw CaseFailure.malformed("a step has a name")
      }
      query = try Self.step(query, name, Array(parts.dropFirst()))
    }
  }

  private static func step(_ query: Query, _ name: String, _ parts: [JSON]) throws -> Query {
    func text(_ index: Int) throws -> String {
      guard index < parts.count, let text = parts[index].stringValue else {
        throw CaseFailure.malformed("the step \(name) misses a text")
      }
      return text
    }
    func values(_ index: Int) throws -> [Value] {
      guard index < parts.count else { return [] }
      return try parts[index].elements?.map { try Value(json: $0) } ?? []
    }
    switch name {
    case "filter": return try filter(query, parts.first ?? .null)
    case "filterSql": return query.where(sql: try text(0), try values(1))
    case "order":
      return query.order(by: field(try text(0)), descending: parts.count > 1 && parts[1] == "desc")
    case "limit": return query.limit(Int(parts.first?.intValue ?? 0))
    case "offset": return query.offset(Int(parts.first?.intValue ?? 0))
    case "reverse": return query.reversed
    case "select": return query.select(.sql(try text(0)))
    case "distinct": return query.distinct
    case "join": return query.join(sql: try text(0), try values(1))
    case "joinModel":
      let model = try RecordModels.model(try text(0))
      return query.join(model.entityType, on: field(try text(1)), equals: field(try text(2)))
    default: throw CaseFailure.unsupported("step \(name)")
    }
  }

  private static func filter(_ query: Query, _ json: JSON) throws -> Query {
    guard case .object(let members) = json else { throw CaseFailure.malformed("a filter") }
    var query = query
    for member in members.sorted(by: { $0.name < $1.name }) {
      if member.name == "id", member.value.intValue != nil {
        let model = RecordModels.all.first { $0.entityType == query.type }
        let id = try RecordModels.id(model?.name ?? "", member.value)
        query = query.where(Field.identifier == .string(id.text))
      } else {
        let value = try RecordModels.value(member.name, member.value)
        query = query.where(field(member.name) == value)
      }
    }
    return query
  }

  private static func field(_ name: String) -> Field {
    name == "id" ? .identifier : Field(PropertyKey(name))
  }
}
