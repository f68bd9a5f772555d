import Foundation
public import VarveCore
import VarveSQLite
public import VarveStore

extension Reading {
  /// Writes a state as an SQLite database for other programs, completely or not at all.
  ///
  /// ```swift
  /// try await store.asOf(lastMonday).export(sqlite: "monday.sqlite")
  /// ```
  ///
  /// Each type has a table with the column `id` and a column for each property, in byte order. A
  /// column of references to live entities of one type is a foreign key. Each relation and each
  /// to-many property has a table with the columns `source` and `target`, and `position` for the
  /// latter. Dates are UTC texts with milliseconds, or more digits where a date has more; arrays and
  /// dictionaries are JSON. Names that SQLite cannot tell apart get a number. History, semantic types
  /// and erased entities are not written.
  ///
  /// - Parameters:
  ///   - path: the file, which must not exist.
  ///   - progress: called after each page of rows. If it throws, no file is written.
  /// - Returns: the number of rows, and the tables.
  /// - Throws: `VarveError`: `invalidArgument` if the file exists, `unsupported` for a type with
  ///   more than 1,999 properties, `inputOutput`, `diskFull`, and the errors of reading the state.
  /// - Complexity: O(entities × log entities), in two passes. Memory does not depend on the number
  ///   of entities.
  @discardableResult
  public func export(
    sqlite path: String,
    progress: @escaping (TableExportProgress) throws -> Void = { _ in }
  ) async throws -> TableExport {
    guard !FileManager.default.fileExists(atPath: path) else { throw fileExists(path) }
    try NewFileName.examine(path, at: path)
    try CompanionFile.requireOwn(beside: path, at: path)
    let partial = path + ".\(UUID().uuidString).partial"
    do {
      let report = try await reading { state in
        let database = try NewDatabase(file: partial, named: path)
        let run = try await DatabaseExport(state.reader, database, progress)
        return try await run.write()
      }
      // Another program may have created the file meanwhile. A link does not replace it.
      switch FileNaming.name(partial, as: path) {
      case .named: return report
      case .taken: throw fileExists(path)
      case .failed(let number):
        throw VarveError.system(number, "the file cannot be named", at: path)
      }
    } catch {
      try? FileManager.default.removeItem(atPath: partial)
      throw error
    }
  }

  /// Writes the entities of a type as comma-separated lines (RFC 4180), the first with the names of
  /// the columns: `id`, and the properties in byte order.
  ///
  /// A missing value is an empty field, and an empty text is quoted. Dates are in ISO 8601, with
  /// milliseconds or as many digits as they have; outside the years 0 to 9999 they are seconds since
  /// 1970, and `nan`, `inf` or `-inf` if they are not finite. Data is in base64, references are
  /// identifiers, arrays and dictionaries JSON. Relations and to-many properties are not written.
  ///
  /// - Parameters:
  ///   - type: the type. If it has no live entities, only the heading is written.
  ///   - write: receives the next bytes. If it throws, the export ends.
  /// - Returns: the number of lines, without the heading.
  /// - Throws: the errors of `write`; `VarveError` if the state cannot be read.
  /// - Complexity: O(entities of the type × log entities), in two passes.
  @discardableResult
  public func export(
    csv type: EntityType,
    to write: ([UInt8]) throws -> Void
  ) async throws -> Int {
    try await export(csv: type, progress: { _ in }, to: write).lineCount
  }

  /// Writes the entities of a type as comma-separated lines, and reports how to read them again.
  ///
  /// ```swift
  /// let report = try await store.export(csv: "Hat", progress: { _ in }) { bytes += $0 }
  /// // Later, with these bytes in a file:
  /// try await other.adopt(csv: path, as: "Hat", reading: report.reading)
  /// ```
  ///
  /// The entities that an adoption by ``CommaSeparatedExport/reading`` makes have equal identifiers
  /// and properties, except for the columns that ``CommaSeparatedExport/inexact`` names.
  ///
  /// - Parameters:
  ///   - type: the type. If it has no live entities, only the heading is written.
  ///   - progress: called after each page of rows. If it throws, the export ends.
  ///   - write: receives the next bytes, as described at ``export(csv:to:)``. If it throws, the
  ///     export ends.
  /// - Throws: the errors of both closures; `VarveError` if the state cannot be read.
  /// - Complexity: as ``export(csv:to:)``.
  public func export(
    csv type: EntityType,
    progress: @escaping (TableExportProgress) throws -> Void,
    to write: ([UInt8]) throws -> Void
  ) async throws -> CommaSeparatedExport {
    try await reading { state in
      let count = try await state.reader.types().first { $0.type == type }?.count ?? 0
      let passes = ExportPasses(2 * count, progress)
      let run = try await LinesExport(type, in: state.reader, passes)
      return try await run.write(to: write)
    }
  }
}

private func fileExists(_ path: String) -> VarveError {
  guard FileManager.default.fileExists(atPath: path) else {
    return VarveError(.inputOutput, "the database cannot be given its name", at: path)
  }
  return VarveError(
    .invalidArgument,
    "the file exists",
    at: path,
    remedy: "Remove it, or name another file."
  )
}
