import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// A model that cases save and query. Their integer n is the identifier "model-n".
protocol RecordModel: Persistable {
  /// The name of the model in cases.
  static var name: String { get }
  init(id: Identifier<Self>, _ values: RecordValues) throws
  /// Its columns, by their stored names.
  var columns: [(String, JSON)] { get }
}

extension RecordModel {
  var json: JSON {
    let members = [("id", RecordModels.number(of: id.entityID))] + columns
    return .object(members.map { JSON.Member(name: $0.0, value: $0.1) })
  }
}

/// The models there are.
enum RecordModels {
  static let all: [any RecordModel.Type] = [
    HatRecord.self, StoreRecord.self, ShelfRecord.self, OrderRecord.self, CustomerRecord.self,
    TagRecord.self,
  ]

  static func model(_ name: String?) throws -> any RecordModel.Type {
    guard let model = all.first(where: { $0.name == name }) else {
      throw CaseFailure.unsupported("model \(name ?? "")")
    }
    return model
  }

  static func id(_ model: String, _ number: JSON) throws -> EntityID {
    guard let number = number.intValue else { throw CaseFailure.malformed("an id is an integer") }
    return try EntityID("\(model)-\(number)")
  }

  /// Returns the integer of an identifier, or its text.
  static func number(of id: EntityID) -> JSON {
    let parts = id.text.split(separator: "-")
    guard parts.count == 2, all.contains(where: { $0.name == parts[0] }), let n = Int(parts[1])
    else { return .string(id.text) }
    return .count(n)
  }

  /// Returns a value of a column. A column that ends in `_id` refers to a model's entity.
  static func value(_ column: String, _ json: JSON) throws -> Value? {
    guard json != .null else { return nil }
    let stem = column.hasSuffix("_id") ? String(column.dropLast(3)) : nil
    if let stem, all.contains(where: { $0.name == stem }), json.intValue != nil {
      return .reference(try id(stem, json))
    }
    return try Value(json: json)
  }

  static func json(_ value: Value?) -> JSON {
    switch value {
    case nil: .null
    case .reference(let id)?: number(of: id)
    case .date(let date)?: .string(date.formatted(.iso8601))
    case let value?: value.json
    }
  }

  static func json<V: PropertyValue>(_ value: V) -> JSON { json(value.propertyValue) }
}

/// The values a case gives a record.
struct RecordValues {
  let json: JSON

  private subscript(_ column: String) -> JSON { json[column] ?? .null }

  func text(_ column: String) -> String? { self[column].stringValue }

  func integer(_ column: String) -> Int? { self[column].intValue.map { Int($0) } }

  func date(_ column: String) throws -> Date? {
    guard let text = text(column) else { return nil }
    guard case .date(let date)? = try? Value(json: ["date": .string(text)]) else {
      throw CaseFailure.malformed("\(text) is not a time")
    }
    return date
  }

  func reference<Target: RecordModel>(_ column: String) throws -> Ref<Target>? {
    guard self[column].intValue != nil else { return nil }
    return Ref(Identifier(try RecordModels.id(Target.name, self[column])))
  }
}
