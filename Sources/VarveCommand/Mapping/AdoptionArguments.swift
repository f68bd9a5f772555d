#if CommandLine
import ArgumentParser
import Foundation
import VarveAdoption
import VarveCore
import VarveJSON
import VarveStore

/// The options of `varve import` for SQLite databases and comma-separated files.
struct AdoptionArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The tables to adopt; all by default.", valueName: "names"))
  var tables: String?

  @Option(
    help: ArgumentHelp(
      "Another name for a table's type, or a column's property; column=name for comma-separated "
        + "files; repeatable.",
      valueName: "table[.column]=name"
    )
  )
  var rename: [String] = []

  @Flag(help: "Print what becomes of each table or column, and write nothing.") var plan = false
  @Flag(help: "End the entities whose rows no longer exist in the tables or files imported.")
  var endMissing = false

  @Option(
    help: ArgumentHelp(
      "The kind of a column: text, integer, double, decimal, boolean, date, data or reference; of "
        + "table.column in a database: stored, boolean, date, milliseconds or referenceDate; "
        + "repeatable.",
      valueName: "column=kind"
    )
  )
  var kind: [String] = []

  /// Whether any option is given that neither JSON nor mappings have.
  var isOfTables: Bool { tables != nil || !rename.isEmpty || plan || endMissing }

  /// Returns whether a file begins as SQLite databases do. Anything but a regular file does not,
  /// because reading it would consume its content.
  static func isDatabase(_ path: String) -> Bool {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard path != "-",
      (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true,
      let file = FileHandle(forReadingAtPath: path)
    else { return false }
    defer { try? file.close() }
    let header = Data("SQLite format 3\0".utf8)
    return (try? file.read(upToCount: header.count)) == header
  }

  /// The old and new names of the renamings.
  ///
  /// - Parameter allowsEmpty: whether a new name may be empty.
  func renames(_ form: String, allowsEmpty: Bool = false) throws -> [(old: String, new: String)] {
    try Self.requireDistinct(rename, "--rename")
    return try rename.map { text in
      guard let end = text.lastIndex(of: "="), allowsEmpty || !text.hasSuffix("=") else {
        throw UsageError("--rename takes \(form): \(text)")
      }
      return (String(text[..<end]), String(text[text.index(after: end)...]))
    }
  }

  /// Throws if two texts of the form `name=…` have one name: only one could count.
  static func requireDistinct(_ texts: [String], _ option: String) throws {
    var seen: Set<ExactText> = []
    for text in texts {
      let name = text.lastIndex(of: "=").map { text[..<$0] } ?? text[...]
      guard seen.insert(ExactText(String(name))).inserted else {
        throw UsageError("\(option) is given twice for \(name).")
      }
    }
  }

  /// Reads the plan of a database, and edits it by the options.
  func plan(of path: String) throws -> AdoptionPlan {
    var plan = try AdoptionPlan(sqlite: path)
    if let tables { try plan.keep(only: tables.split(separator: ",").map(String.init)) }
    for (old, new) in try renames("table=name or table.column=name") {
      guard plan.rename(old, to: new) else {
        throw plan.missing("there is no table or column \"\(old)\" to rename", at: path)
      }
    }
    try Self.requireDistinct(kind, "--kind")
    for text in kind {
      guard let end = text.lastIndex(of: "="),
        let reading = ColumnReading(rawValue: String(text[text.index(after: end)...]))
      else {
        let names = ColumnReading.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--kind takes table.column=kind, with one of \(names): \(text)")
      }
      let name = String(text[..<end])
      guard plan.editColumn(name, { $0.columns[$1].reading = reading }) else {
        throw plan.missing("there is no column \"\(name)\" to read", at: path)
      }
    }
    return plan
  }
}

extension AdoptionPlan {
  /// Returns the error for a name that no table or column has.
  fileprivate func missing(_ message: String, at path: String) -> VarveError {
    let most = 20
    let names = tables.filter { !$0.isOmitted }.flatMap { table in
      [table.name] + table.columns.map { "\(table.name).\($0.name)" }
    }
    let more = names.count > most ? " and \(names.count - most) more" : ""
    return VarveError(
      .notFound,
      message,
      at: path,
      remedy: names.isEmpty
        ? "No table is adopted; --plan prints why."
        : "There are \(names.prefix(most).joined(separator: ", "))\(more)."
    )
  }

  /// Renames a table's type, or a column's property. Returns false if there is none.
  fileprivate mutating func rename(_ old: String, to new: String) -> Bool {
    if self[old] != nil {
      self[old]?.type = EntityType(new)
      return true
    }
    return editColumn(old) { table, index in
      let column = table.columns[index].name
      table.columns[index].property = PropertyKey(new)
      if let index = table.references.firstIndex(where: { $0.hasColumns([column]) }) {
        table.references[index].property = PropertyKey(new)
      }
    }
  }

  /// Edits the table of a column that is named `table.column`. Returns false if there is none.
  fileprivate mutating func editColumn(
    _ name: String,
    _ edit: (inout Table, _ column: Int) -> Void
  ) -> Bool {
    for table in tables where name.hasPrefix(table.name + ".") {
      let column = String(name.dropFirst(table.name.count + 1))
      var edited = table
      guard let index = edited.columns.firstIndex(where: { $0.name == column }) else { continue }
      edit(&edited, index)
      self[table.name] = edited
      return true
    }
    return false
  }

  /// The plan as lines of text.
  var lines: [String] {
    tables.flatMap(\.lines) + omissions.map { "not adopted: \($0.printable)" }
  }

  /// The plan as JSON.
  var json: JSON {
    .object([
      JSON.Member(name: "tables", value: .array(tables.filter { !$0.isOmitted }.map(\.json))),
      JSON.Member(name: "omissions", value: .array(omissions.map { .string($0) })),
    ])
  }
}

extension AdoptionPlan.Table {
  fileprivate var lines: [String] {
    guard !isOmitted else { return ["not adopted: \(name.printable): not named"] }
    if isLink {
      let ends = references.map(\.table.printable).joined(separator: " to ")
      return ["\(name.printable): relation \(type.text.printable) from \(ends)"]
    }
    let key = key.isEmpty ? "the row's number" : key.map(\.printable).joined(separator: ", ")
    var lines = ["\(name.printable): type \(type.text.printable), key \(key)"]
    for column in columns {
      guard let property = column.property,
        !references.contains(where: { $0.hasColumns([column.name]) })
      else { continue }
      let reading = column.reading == .stored ? "" : ", \(column.reading.rawValue)"
      lines.append("  \(column.name.printable): \(property.text.printable)\(reading)")
    }
    for reference in references {
      let columns = reference.columns.map(\.printable).joined(separator: ", ")
      let owned = reference.isOwned ? ", which owns it" : ""
      lines.append(
        "  \(columns): \(reference.property.text.printable), reference to "
          + "\(reference.table.printable)\(owned)"
      )
    }
    return lines
  }

  fileprivate var json: JSON {
    .object([
      JSON.Member(name: "table", value: .string(name)),
      JSON.Member(name: isLink ? "relation" : "type", value: .string(type.text)),
      JSON.Member(name: "key", value: .array(key.map { .string($0) })),
      JSON.Member(name: "columns", value: .array(columns.compactMap(\.json))),
      JSON.Member(name: "references", value: .array(references.map(\.json))),
    ])
  }
}

extension AdoptionPlan.Column {
  fileprivate var json: JSON? {
    property.map {
      .object([
        JSON.Member(name: "column", value: .string(name)),
        JSON.Member(name: "property", value: .string($0.text)),
        JSON.Member(name: "reading", value: .string(reading.rawValue)),
      ])
    }
  }
}

extension AdoptionPlan.Reference {
  fileprivate var json: JSON {
    .object([
      JSON.Member(name: "columns", value: .array(columns.map { .string($0) })),
      JSON.Member(name: "property", value: .string(property.text)),
      JSON.Member(name: "table", value: .string(table)),
      JSON.Member(name: "isOwned", value: .bool(isOwned)),
    ])
  }
}
#endif
