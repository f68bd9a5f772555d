import VarveCore
import VarveStore

/// Writes the entities of a type as comma-separated lines.
struct LinesExport {
  private let reader: any BackendReader
  private let shape: ExportedType
  private let passes: ExportPasses

  init(_ type: EntityType, in reader: any BackendReader, _ passes: ExportPasses) async throws {
    self.reader = reader
    self.passes = passes
    shape = try await ExportedType(type, in: reader, followingReferences: false, passes)
  }

  /// Writes the lines, and returns how they are read again.
  func write(to write: ([UInt8]) throws -> Void) async throws -> CommaSeparatedExport {
    var found = shape.columns.map { _ in ColumnKinds() }
    try write(Array(ExportedText.heading(shape.names).utf8))
    try await reader.fetch(Query(shape.type), pageSize: exportPageSize) { page in
      var lines = ""
      for entity in page {
        let fields = shape.columns.map { entity[$0.key].map(ExportedText.field) }
        for (place, field) in fields.enumerated() {
          if let field { found[place].take(field, line: 0) }
        }
        lines += ExportedText.line([entity.id.text] + fields)
      }
      try write(Array(lines.utf8))
      try passes.advance(page.count)
      return true
    }
    return report(found)
  }

  private func report(_ found: [ColumnKinds]) -> CommaSeparatedExport {
    var report = CommaSeparatedExport()
    report.lineCount = shape.rowCount
    report.reading.identifiers = shape.identifierName
    for (column, found) in zip(shape.columns, found) {
      let heading = PropertyKey(column.name)
      if column.key != heading { report.reading.properties[heading] = column.key }
      if let reason = column.inexactness {
        let inexact = InexactColumn(table: shape.type.text, column: column.name, reason: reason)
        report.inexact.append(inexact)
      } else if let kind = column.fieldKind {
        report.reading.kinds[heading] = kind
        // Decimals are texts too.
        let isFound = found.kind == kind || kind == .text && found.kind == .decimal
        if !isFound { report.disguised.append(column.name) }
      }
    }
    return report
  }
}

extension ExportedType.Column {
  /// The kind by which the fields are read again; nil if there is none.
  fileprivate var fieldKind: FieldKind? {
    guard kinds.count == 1 else { return nil }
    return switch kinds.first {
    case .bool: .boolean
    case .int: .integer
    case .double: .double
    case .date: .date
    case .data: .data
    case .reference: .reference
    case .string: .text
    default: nil
    }
  }
}
