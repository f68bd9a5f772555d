import ArgumentParser
import VarveCore
import VarveJSON

/// A column of a list: a property, or an attribute that every entity has.
enum ListColumn {
  case property(PropertyKey)
  case identifier
  case type
  case datestamp
  case modified

  /// Parses a comma-separated list of columns.
  static func list(_ text: String) throws -> [ListColumn] {
    try text.split(separator: ",").map { try ListColumn(String($0)) }
  }

  private init(_ text: String) throws {
    if text.hasPrefix("\""), case .string(let key)? = try? JSONReader.read(text) {
      self = .property(PropertyKey(key))
      return
    }
    switch text {
    case "@id": self = .identifier
    case "@type": self = .type
    case "@datestamp": self = .datestamp
    case "@modified": self = .modified
    case _ where text.hasPrefix("@"):
      throw UsageError(
        "\(text) is not one of @id, @type, @datestamp, @modified; quote it if it is a key"
      )
    default: self = .property(PropertyKey(text))
    }
  }

  var heading: String {
    switch self {
    case .property(let key): key.text
    case .identifier: "@id"
    case .type: "@type"
    case .datestamp: "@datestamp"
    case .modified: "@modified"
    }
  }

  /// Returns the text of the column for an entity.
  func text(of entity: StoredEntity) -> String {
    switch self {
    case .property(let key): entity[key]?.shown ?? ""
    case .identifier: entity.id.text
    case .type: entity.type.text
    case .datestamp: DateWriter.exact(entity.datestamp)
    case .modified: DateWriter.exact(entity.modified)
    }
  }

  /// Returns whether the column contains only numbers.
  func isNumeric(in entities: [StoredEntity]) -> Bool {
    guard case .property(let key) = self else { return false }
    return entities.allSatisfy { entity in
      entity[key].map { $0.kind == .int || $0.kind == .double } ?? true
    }
  }
}
