#if CommandLine
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
    case _ where text.utf8.starts(with: "@@".utf8):
      self = .property(PropertyKey(String(text.unicodeScalars.dropFirst())))
    case _ where text.utf8.first == UInt8(ascii: "@"):
      throw UsageError(
        "\(text) is not one of @id, @type, @datestamp, @modified; if it is a key, write @\(text)"
      )
    default: self = .property(PropertyKey(text))
    }
  }

  /// The key; nil if the column is an attribute that every entity has.
  var key: PropertyKey? {
    if case .property(let key) = self { key } else { nil }
  }

  /// Returns the heading of the column, which is the name of its key in SQL and exports.
  func heading(_ names: SQLNames<PropertyKey>) -> String {
    switch self {
    case .property(let key): names[key] ?? key.text
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
#endif
