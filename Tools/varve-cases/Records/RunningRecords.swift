import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// Runs the operations on records.
extension World {
  static let recordOperations: Set<String> = [
    "table", "row", "record.save", "record.destroy", "record.equal", "foreignKeyName", "defquery",
    "query", "readField",
  ]

  func runRecord(_ name: String, _ operation: JSON, _ storeName: String) async throws -> JSON {
    switch name {
    case "table":
      tables[operation["name"]?.stringValue ?? ""] = operation
      return .null
    case "row": return try await insert(operation, storeName)
    case "record.save": return try await save(operation, storeName)
    case "record.destroy":
      return try await destroy(try model(operation), operation["id"] ?? .null, storeName)
    case "record.equal":
      let (a, b) = (operation["a"] ?? .null, operation["b"] ?? .null)
      return .bool(try record(a).isEqual(to: try record(b)))
    case "foreignKeyName": return .string(try model(operation).foreignKeyName)
    case "defquery":
      let base = try operation["from"]?.stringValue.map { try defined($0) }
      let query = try base?.adding(operation["steps"]) ?? RecordQuery(operation["spec"] ?? .null)
      queries[operation["name"]?.stringValue ?? ""] = query
      return .null
    case "query":
      let named = try operation["use"]?.stringValue.map { try defined($0) }
      let query = try named ?? RecordQuery(operation)
      return try await run(query, query.model, operation["run"] ?? .null, storeName)
    default: return try await readField(operation)
    }
  }

  private func model(_ operation: JSON) throws -> any RecordModel.Type {
    try RecordModels.model(operation["model"]?.stringValue)
  }

  private func defined(_ name: String) throws -> RecordQuery {
    guard let query = queries[name] else { throw CaseFailure.malformed("no query \(name)") }
    return query
  }

  private func nextID(_ model: String) throws -> EntityID {
    nextNumbers[model, default: 0] += 1
    return try EntityID("\(model)-\(nextNumbers[model] ?? 0)")
  }

  /// Inserts a row without using records.
  private func insert(_ operation: JSON, _ storeName: String) async throws -> JSON {
    let table = operation["table"]?.stringValue ?? ""
    let model = tables[table]?["model"]?.stringValue ?? ""
    let columns = tables[table]?["columns"]
    var properties: [PropertyKey: Value] = [:]
    if case .object(let members)? = operation["values"] {
      for member in members {
        let isTime = columns?[member.name] == "timestamp"
        let json = isTime && member.value != .null ? ["date": member.value] : member.value
        properties[PropertyKey(member.name)] = try RecordModels.value(member.name, json)
      }
    }
    let id = try nextID(model)
    try await store(storeName).create(EntityType(table), id: id, properties)
    return RecordModels.number(of: id)
  }

  private func record(_ operation: JSON) throws -> any RecordModel {
    func make<Model: RecordModel>(_ model: Model.Type) throws -> any RecordModel {
      let id = try RecordModels.id(model.name, operation["id"] ?? .null)
      return try Model(id: Identifier(id), RecordValues(json: operation["values"] ?? .null))
    }
    return try make(try model(operation))
  }

  private func save(_ operation: JSON, _ storeName: String) async throws -> JSON {
    let model = try model(operation)
    let id =
      if let number = operation["id"], number != .null {
        try RecordModels.id(model.name, number)
      } else {
        try nextID(model.name)
      }
    return try await save(model, id, operation, try await store(storeName))
  }

  private func save<Model: RecordModel>(
    _ model: Model.Type,
    _ id: EntityID,
    _ operation: JSON,
    _ store: Store
  ) async throws -> JSON {
    let record = try Model(id: Identifier(id), RecordValues(json: operation["values"] ?? .null))
    guard let refusal = operation["failWith"], refusal != .null else {
      return try await store.save(record).json
    }
    // If a database would refuse the write, nothing is kept.
    do {
      try await store.write { tx in
        try await tx.save(record)
        throw VarveError(.inputOutput, refusal.text)
      }
    } catch let error as VarveError where error.code == .inputOutput {}
    return .null
  }

  private func destroy(
    _ model: any RecordModel.Type,
    _ number: JSON,
    _ storeName: String
  ) async throws -> JSON {
    func destroy<Model: RecordModel>(_ model: Model.Type, _ id: EntityID) async throws {
      let record = try Model(id: Identifier(id), RecordValues(json: .null))
      try await store(storeName).erase(record)
    }
    guard number != .null else { return .null }
    try await destroy(model, try RecordModels.id(model.name, number))
    return .null
  }

  private func run<Model: RecordModel>(
    _ query: RecordQuery,
    _ model: Model.Type,
    _ run: JSON,
    _ storeName: String
  ) async throws -> JSON {
    let store = try await store(storeName)
    if let parts = run.elements, parts.first == "find", parts.count == 2 {
      let id = try RecordModels.id(model.name, parts[1])
      return try await store.find(Identifier<Model>(id), in: TypedQuery(query.query))?.json ?? .null
    }
    switch run {
    case "sql":
      let text = try await store.sql(query.query)
      let parameters = text.parameters.map { RecordModels.json($0) }
      return ["sql": .string(text.sql), "params": .array(parameters)]
    case "all":
      let report = try await store.fetchReport(TypedQuery<Model>(query.query))
      for row in report.unreadable { log(row.json, to: "unreadable") }
      return .array(report.models.map(\.json))
    case "first": return try await store.first(TypedQuery<Model>(query.query))?.json ?? .null
    case "last": return try await store.last(TypedQuery<Model>(query.query))?.json ?? .null
    case "count": return .count(try await store.count(query.query))
    case "isEmpty": return .bool(try await store.isEmpty(query.query))
    default: throw CaseFailure.unsupported("run \(run.text)")
    }
  }

  private func readField(_ operation: JSON) async throws -> JSON {
    let name = operation["field"]?.stringValue ?? ""
    var properties: [PropertyKey: Value] = [:]
    if case .object(let members)? = operation["row"] {
      for member in members where member.value != .null {
        properties[PropertyKey(member.name)] = try Value(json: member.value)
      }
    }
    let store = try await Store.open(.inMemory)
    let id = try await store.create("row", properties)
    let entity = try await store.require(id)
    try await store.close()
    let key = PropertyKey(name)
    do {
      switch operation["as"]?.stringValue {
      case "string": return RecordModels.json(try entity.read(key, as: String.self))
      case "integer": return RecordModels.json(try entity.read(key, as: Int.self))
      case "double": return RecordModels.json(try entity.read(key, as: Double.self))
      case "boolean": return RecordModels.json(try entity.read(key, as: Bool.self))
      case "timestamp": return RecordModels.json(try entity.read(key, as: Date.self))
      case "string?": return RecordModels.json(try entity.read(key, as: String?.self))
      case "integer?": return RecordModels.json(try entity.read(key, as: Int?.self))
      case "double?": return RecordModels.json(try entity.read(key, as: Double?.self))
      case "boolean?": return RecordModels.json(try entity.read(key, as: Bool?.self))
      case "timestamp?": return RecordModels.json(try entity.read(key, as: Date?.self))
      default: throw CaseFailure.unsupported("type \(operation["as"]?.text ?? "")")
      }
    } catch let error as VarveError where operation["bind"] != nil {
      return ["error": .string(error.code.rawValue), "field": .string(name)]
    }
  }
}

extension RecordModel {
  fileprivate func isEqual(to other: any RecordModel) -> Bool {
    (other as? Self).map { self == $0 } ?? false
  }
}

extension UnreadableRow {
  fileprivate var json: JSON {
    let reason =
      switch self.reason {
      case .missing: "missing"
      case .otherKind: "type"
      case .failed(let error): error
      }
    return [
      "table": .string(type.text), "id": RecordModels.number(of: id),
      "field": .optional(key?.text), "reason": .string(reason),
    ]
  }
}
