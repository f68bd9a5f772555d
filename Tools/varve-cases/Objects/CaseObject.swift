import VarveCore
import VarveJSON
import VarveStore

/// A value that a case sets in a field of an object.
enum FieldInput {
  case json(JSON)
  case object(CaseObject)
}

/// The content of a field.
enum FieldContent {
  case value(Value?)
  case object(CaseObject?)
  /// An object that is loaded when it is touched.
  case link(EntityID?, load: () async throws -> CaseObject?)
}

/// A class whose objects cases create.
protocol CaseDocument: StoredObject {
  /// Its fields, as cases declare them.
  static var fields: [String: String] { get }
}

/// The base class of all objects in cases.
class CaseObject: CaseDocument {
  class var kind: EntityType { "" }
  class var fields: [String: String] { [:] }
  let id: EntityID
  /// Fields that were given something they cannot hold.
  private var wrong: [String: JSON] = [:]

  required init(id: EntityID) { self.id = id }

  required init(row: ObjectRow) throws { id = row.id }

  func read(_ row: ObjectRow) throws {}

  func write(to values: inout ObjectValues) throws {
    guard let (field, json) = wrong.first else { return }
    throw VarveError(
      .notEncodable,
      "\"\(field)\" cannot hold \(json.text)",
      at: "property \(field)"
    )
  }

  /// Returns the content of a field, or nil if there is no such field.
  func content(of field: String) -> FieldContent? { nil }

  /// Sets a field. Returns whether the field can hold the value.
  func take(_ input: FieldInput, into field: String) throws -> Bool { false }

  func put(_ input: FieldInput, into field: String) throws {
    guard Self.fields[field] != nil else {
      throw CaseFailure.malformed("\(Self.kind) has no \(field)")
    }
    wrong[field] = nil
    if try take(input, into: field) { return }
    if case .json(let json) = input { wrong[field] = json } else { wrong[field] = "an object" }
  }
}

/// A number as it is written: 3 is not 3.0.
struct Number: PropertyValue {
  let value: Value
  var propertyValue: Value? { value }

  init?(propertyValue value: Value) {
    switch value {
    case .int, .double: self.value = value
    default: return nil
    }
  }
}

extension FieldInput {
  /// A number or nothing, wrapped; nil for anything else.
  var number: Number?? {
    guard case .json(let json) = self else { return nil }
    if json == .null { return .some(nil) }
    guard let number = (try? Value(json: json)).flatMap(Number.init(propertyValue:)) else {
      return nil
    }
    return number
  }

  /// Returns an object of a class or nothing, wrapped; nil for anything else.
  func object<Target: CaseObject>(_ type: Target.Type) -> Target?? {
    switch self {
    case .object(let object): (object as? Target).map { .some($0) }
    case .json(.null): .some(nil)
    case .json: nil
    }
  }
}
