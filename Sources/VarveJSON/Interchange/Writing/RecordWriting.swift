import Foundation
import VarveCore

/// Writes entities as the records of a compact or normalized document.
struct RecordWriting {
  /// The plan for writing the entities of one shape: the indices of their keys in byte order, each
  /// with the encoded comma, name and colon.
  private struct Plan {
    let shape: EntityShape
    let columns: [(index: Int, name: [UInt8])]
  }

  private var plans: [ObjectIdentifier: Plan] = [:]
  private var datestamps = DatestampWriting()

  /// Writes an entity.
  ///
  /// - Parameter times: the time from which each value holds; nil for the compact form, which omits
  ///   it.
  mutating func write(
    _ entity: StoredEntity,
    times: [PropertyKey: HybridTime]?,
    to json: inout JSONBytes
  ) {
    json.raw("{\"identifier\":")
    json.string(entity.id.text)
    json.raw(",\"type\":")
    json.string(entity.type.text)
    json.raw(",\"datestamp\":{\"date\":")
    datestamps.write(entity.datestamp, to: &json)
    json.raw("}")
    if entity.others.isEmpty {
      for column in plan(for: entity.shape).columns {
        guard let value = entity.values[column.index] else { continue }
        json.raw(column.name)
        let semanticType = entity.shape.semanticTypes[column.index]
        let time = times?[entity.shape.keys[column.index]]
        write(value, semanticType, time, isFull: times != nil, to: &json)
      }
    } else {
      for (key, property) in entity.properties.sorted(by: { $0.key < $1.key }) {
        json.raw(Self.name(key))
        let isFull = times != nil
        write(property.value, property.semanticType, times?[key], isFull: isFull, to: &json)
      }
    }
    json.raw("}")
  }

  private mutating func plan(for shape: EntityShape) -> Plan {
    if let plan = plans[ObjectIdentifier(shape)] { return plan }
    let order = shape.keys.indices.sorted { shape.keys[$0] < shape.keys[$1] }
    let plan = Plan(shape: shape, columns: order.map { ($0, Self.name(shape.keys[$0])) })
    // A plan retains its shape, so that no other shape can have the same address.
    if plans.count >= 256 { plans.removeAll() }
    plans[ObjectIdentifier(shape)] = plan
    return plan
  }

  private static func name(_ key: PropertyKey) -> [UInt8] {
    var json = JSONBytes()
    json.raw(",")
    json.string(ReservedNames.member(for: key.text))
    json.raw(":")
    return json.bytes
  }

  private mutating func write(
    _ value: Value,
    _ semanticType: String,
    _ time: HybridTime?,
    isFull: Bool,
    to json: inout JSONBytes
  ) {
    let kind = value.kind.name
    let hasType = semanticType != kind
    if !isFull, !hasType, value.standsForItself { return json.content(of: value) }
    json.raw("{\"")
    json.text(kind)
    json.raw("\":")
    json.content(of: value)
    if isFull || hasType {
      json.raw(",\"type\":")
      json.string(semanticType)
    }
    if let time {
      json.raw(",\"datestamp\":")
      datestamps.writeProperty(time, to: &json)
    }
    json.raw("}")
  }
}

extension Value {
  /// Whether a reader recognises the kind without a tag.
  fileprivate var standsForItself: Bool {
    switch self {
    case .string, .int, .bool: true
    case .double(let value): value.isFinite && value != value.rounded()
    case .date, .data, .reference, .array, .dictionary: false
    }
  }
}

extension JSONBytes {
  /// Appends the content that follows the kind.
  fileprivate mutating func content(of value: Value) {
    switch value {
    case .string(let text): string(text)
    case .int(let number): text(String(number))
    case .bool(let isTrue): text(isTrue ? "true" : "false")
    case .data(let data): base64(data)
    case .reference(let id): string(id.text)
    case .double(let number) where number.isFinite: text(number.description)
    case .double, .date, .array, .dictionary:
      // A tagged value is an object with one member.
      guard case .object(let members) = value.json, let member = members.first else { return }
      text(member.value.text)
    }
  }
}
