import VarveCore
import VarveStore

/// Reads the records of a compact or normalized document.
struct RecordReading {
  private var values = ValueReading()

  /// An omitted part of a record, and the reason.
  struct Omission {
    let member: String
    let reason: String
  }

  /// Returns the entity of a record, without its unusable parts.
  ///
  /// - Throws: `Unusable` if the whole record is unusable.
  mutating func record(
    _ json: JSON
  ) throws(Unusable) -> (record: EntityRecord, omissions: [Omission]) {
    guard case .object(let members) = json else {
      throw Unusable("a record is \(json.kindName), not an object")
    }
    var record = EntityRecord(
      type: EntityType(try text(json, "type")),
      id: try identifier(json),
      datestamp: try json["datestamp"].map { json throws(Unusable) in try values.datestamp(json) },
      properties: []
    )
    record.properties.reserveCapacity(members.count)
    var omissions: [Omission] = []
    for member in members where !ReservedNames.all.contains(member.name) {
      do {
        record.properties.append(try property(member))
      } catch {
        omissions.append(Omission(member: member.name, reason: error.reason))
      }
    }
    record.properties.sort { $0.key < $1.key }
    return (record, omissions)
  }

  private mutating func property(
    _ member: JSON.Member
  ) throws(Unusable) -> EntityRecord.Property {
    let (content, time) = try values.property(member.value)
    let key = PropertyKey(ReservedNames.key(ofMember: member.name))
    let property = EntityRecord.Property(key: key, property: content, time: time)
    do { try property.validate() } catch { throw Unusable(error) }
    return property
  }

  private func text(_ json: JSON, _ name: String) throws(Unusable) -> String {
    switch json[name] {
    case .string(let text)?: return text
    case nil: throw Unusable("a record has no \"\(name)\"")
    case let other?:
      throw Unusable("the \"\(name)\" of a record is \(other.kindName), not a string")
    }
  }

  private func identifier(_ json: JSON) throws(Unusable) -> EntityID {
    let text = try text(json, "identifier")
    do { return try EntityID(text) } catch { throw Unusable(error) }
  }
}
