import Foundation
import VarveCore

/// Why a part of a document is not imported.
struct Unusable: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }

  /// Wraps the message of an error.
  init(_ error: any Error) { reason = (error as? VarveError)?.message ?? "\(error)" }
}

/// Reads the properties of a record.
struct ValueReading {
  private var dates = DatestampReading()

  /// Reads a property: a plain value, or `{kind: value}` with an optional `type` and `datestamp`.
  mutating func property(_ json: JSON) throws(Unusable) -> (StoredEntity.Property, HybridTime?) {
    guard case .object(let members) = json else {
      return (StoredEntity.Property(try value(json)), nil)
    }
    var content: Value?
    var semanticType: String?
    var time: HybridTime?
    for member in members {
      switch (member.name, member.value) {
      case ("type", .string(let text)): semanticType = text
      case ("type", _): throw Unusable("the type of a property is not a text")
      case ("datestamp", let json): time = try dates.time(json)
      default:
        guard content == nil else { throw Unusable("an object of several kinds is not a property") }
        content = try tagged(member.name, member.value)
      }
    }
    guard let content else { throw Unusable("an object without a kind is not a property") }
    if semanticType == "" { throw Unusable("the type of a property is empty") }
    return (StoredEntity.Property(content, semanticType: semanticType), time)
  }

  /// Reads the datestamp of a record.
  mutating func datestamp(_ json: JSON) throws(Unusable) -> HybridTime { try dates.time(json) }

  /// Reads a value inside an array or a dictionary, or of a property without type and datestamp.
  private func value(_ json: JSON) throws(Unusable) -> Value {
    switch json {
    case .null: throw Unusable("null is not a value; the present one stays")
    case .bool(let value): return .bool(value)
    case .integer(let value): return .int(value)
    case .fraction(let value): return .double(value)
    case .string(let value): return .string(value)
    case .array: throw Unusable("a bare array is not a value; write {\"array\": […]}")
    case .object(let members):
      guard members.count == 1, let member = members.first else {
        throw Unusable("a value needs a kind; write {\"dictionary\": {…}}")
      }
      return try tagged(member.name, member.value)
    }
  }

  private func tagged(_ kind: String, _ json: JSON) throws(Unusable) -> Value {
    switch (kind, json) {
    case ("string", .string), ("integer", .integer), ("boolean", .bool): return try value(json)
    case ("date", .string(let text)):
      if let date = DateReader.read(text) { return .date(date) }
    case ("array", .array(let elements)):
      var values: [Value] = []
      for element in elements { values.append(try value(element)) }
      return .array(values)
    case ("dictionary", .object(let members)):
      var fields: [PropertyKey: Value] = [:]
      for member in members { fields[PropertyKey(member.name)] = try value(member.value) }
      return .dictionary(fields)
    case ("array", _), ("dictionary", _), ("string", _), ("integer", _), ("boolean", _): break
    default:
      guard Value.Kind.allCases.contains(where: { $0.name == kind }) else {
        throw Unusable("\"\(kind.prefix(40))\" is not a kind of value")
      }
    }
    do {
      return try Value(json: .object([JSON.Member(name: kind, value: json)]))
    } catch {
      throw Unusable("\(json.kindName) is not a value of kind \"\(kind)\"")
    }
  }
}

/// Reads datestamps; most equal the previous one.
struct DatestampReading {
  private var last: (text: String, time: HybridTime)?

  /// Reads a date's text, or a date as a tagged value.
  mutating func time(_ json: JSON) throws(Unusable) -> HybridTime {
    if case .string(let text) = json {
      if let last, last.text == text { return last.time }
      guard let date = DateReader.read(text) else {
        throw Unusable("a datestamp is not a date; write it as \(DateReader.forms)")
      }
      let time = try time(date)
      last = (text, time)
      return time
    }
    guard case .object(let members) = json, let date = json["date"],
      members.allSatisfy({ $0.name == "date" || $0.name == "type" }),
      case .date(let date)? = try? Value(json: ["date": date])
    else { throw Unusable("a datestamp is not a date; write it as \(DateReader.forms)") }
    return try time(date)
  }

  private func time(_ date: Date) throws(Unusable) -> HybridTime {
    do { return try HybridTime(date) } catch { throw Unusable(error) }
  }
}
