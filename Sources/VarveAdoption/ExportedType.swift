import VarveCore
import VarveStore

/// The entities of a type, as the rows of a table.
struct ExportedType {
  /// A property, as a column.
  struct Column {
    let key: PropertyKey
    var name: String
    var kinds: Set<Value.Kind> = []
    /// The types of the entities that the references name; nil for a reference to no live entity.
    var targets: Set<EntityType?> = []
    /// Whether a date is outside the years that texts of dates have.
    var hasFarDates = false
    /// Whether a double is NaN or -0.0, which SQLite reads as null and as 0.0.
    var hasOddDoubles = false

    /// The type whose table all references name, if they do.
    var target: EntityType? {
      guard kinds == [.reference], targets.count == 1, let only = targets.first else { return nil }
      return only
    }

    /// The declared type; nil for values of several kinds, which keep their own.
    var declaredType: String? {
      guard kinds.count == 1 else { return nil }
      return switch kinds.first {
      case .bool: "BOOLEAN"
      case .int: "INTEGER"
      case .double: "REAL"
      case .date: "DATETIME"
      case .data: "BLOB"
      default: "TEXT"
      }
    }
  }

  let type: EntityType
  /// The name of the column of identifiers.
  let identifierName: String
  /// The columns, in byte order of their properties.
  let columns: [Column]
  let rowCount: Int

  /// Reads which properties the entities of a type have.
  ///
  /// - Parameter followsReferences: whether the types of the references' targets are read too.
  init(
    _ type: EntityType,
    in reader: any BackendReader,
    followingReferences followsReferences: Bool,
    _ passes: ExportPasses
  ) async throws {
    var found: [PropertyKey: Column] = [:]
    var count = 0
    try await reader.fetch(Query(type), pageSize: exportPageSize) { page in
      for entity in page {
        count += 1
        for (key, property) in entity.properties {
          found[key, default: Column(key: key, name: "")].kinds.insert(property.value.kind)
          if case .date(let date) = property.value, !DateText.years.contains(date) {
            found[key]?.hasFarDates = true
          }
          if case .double(let number) = property.value, number.isNaN || number.isNegativeZero {
            found[key]?.hasOddDoubles = true
          }
          guard followsReferences, case .reference(let id) = property.value else { continue }
          found[key]?.targets.insert(try await reader.liveType(of: id))
        }
      }
      try passes.advance(page.count)
      return true
    }
    // The names depend on all keys of the type, so that they are the same in every state.
    let known = try await reader.knownKeys(of: type).map(\.key)
    let names = SQLNames(keys: known + found.keys)
    identifierName = SQLNames<PropertyKey>.identifier
    columns = found.values.sorted { $0.key < $1.key }.map { column in
      var column = column
      column.name = names[column.key] ?? column.key.text
      return column
    }
    self.type = type
    rowCount = count
  }

  /// The names of all columns.
  var names: [String] { [identifierName] + columns.map(\.name) }
}

/// The number of entities that an export reads at a time.
let exportPageSize = 500

extension BackendReader {
  /// Returns the type of a live entity, or nil.
  func liveType(of id: EntityID) async throws -> EntityType? {
    guard case .live(let type) = try await status(of: id) else { return nil }
    return type
  }
}

extension Double {
  fileprivate var isNegativeZero: Bool { self == 0 && sign == .minus }
}
