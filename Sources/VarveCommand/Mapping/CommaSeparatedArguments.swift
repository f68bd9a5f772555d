#if CommandLine
import ArgumentParser
import VarveAdoption
import VarveCore
import VarveJSON

/// The options of `varve import` for comma-separated files alone.
struct CommaSeparatedArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("The type of the lines of comma-separated files.", valueName: "type")
  )
  var type: String?

  @Option(
    help: ArgumentHelp(
      "The column that identifies a line, a text unless --kind says otherwise; by default, the "
        + "line's number does.",
      valueName: "column"
    )
  )
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The column with the identifiers of the entities, as an export writes it.",
      valueName: "column"
    )
  )
  var identifiers: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A text that stands for a missing value; repeatable.", valueName: "text")
  )
  var missing: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The character between fields, or tab; by default, a comma.",
      valueName: "character"
    )
  )
  var separator: String?

  /// The name of an option that is given although no file is comma-separated, or nil.
  var unwanted: String? {
    if key != nil { return "--key" }
    if identifiers != nil { return "--identifiers" }
    if !missing.isEmpty { return "--missing" }
    return separator == nil ? nil : "--separator"
  }

  /// How files are read.
  func reading(_ adoption: AdoptionArguments) throws -> CommaSeparatedReading {
    if key != nil, identifiers != nil { throw UsageError("Use --key or --identifiers, not both.") }
    var reading = CommaSeparatedReading()
    reading.key = key
    reading.identifiers = identifiers
    reading.kinds = try kinds(adoption.kind)
    for (old, new) in try adoption.renames("column=name", allowsEmpty: true) {
      reading.properties[PropertyKey(old)] = PropertyKey(new)
    }
    reading.missing = missing
    reading.separator = try separator.map(Self.separator)
    return reading
  }

  private func kinds(_ texts: [String]) throws -> [PropertyKey: FieldKind] {
    try AdoptionArguments.requireDistinct(texts, "--kind")
    var kinds: [PropertyKey: FieldKind] = [:]
    for text in texts {
      guard let end = text.lastIndex(of: "="),
        let kind = FieldKind(rawValue: String(text[text.index(after: end)...]))
      else {
        let names = FieldKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("--kind takes column=kind, with one of \(names): \(text)")
      }
      kinds[PropertyKey(String(text[..<end]))] = kind
    }
    return kinds
  }

  private static func separator(_ text: String) throws -> Unicode.Scalar {
    if text == "tab" || text == "\\t" { return "\t" }
    guard text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first, scalar.isASCII
    else { throw UsageError("--separator takes one ASCII character, or tab: \(text)") }
    return scalar
  }
}

extension CommaSeparatedPlan {
  /// The plan as lines of text.
  func lines(of document: String) -> [String] {
    ["\(document): type \(type.text.printable), \(counted(lineCount, "line"))"] + columns.lines
  }

  /// The plan as JSON.
  func json(of document: String) -> JSON {
    [
      "document": .string(document), "type": .string(type.text), "lineCount": .count(lineCount),
      "columns": .array(columns.map(\.json)),
    ]
  }
}

extension [CommaSeparatedColumn] {
  /// The kinds of the columns as a line of text, and a line for each that might be of another.
  var lines: [String] {
    guard !isEmpty else { return [] }
    let kinds = map { column in
      let name = column.heading.printable
      guard let property = column.property else { return "\(name) the identifiers" }
      let renamed = property == PropertyKey(column.heading) ? "" : " as \(property.text.printable)"
      return "\(name)\(renamed) \(column.kind.rawValue)" + (column.isKey ? ", the key" : "")
    }
    return ["  columns: " + kinds.joined(separator: "; ")]
      + compactMap { column in
        column.exception.map { "  \(column.heading.printable) is \($0.reason(column.kind))" }
      }
  }
}

extension CommaSeparatedColumn {
  /// The column as JSON.
  var json: JSON {
    var members: [JSON.Member] = [
      JSON.Member(name: "column", value: .string(heading)),
      JSON.Member(name: "property", value: property.map { .string($0.text) } ?? .null),
      JSON.Member(name: "kind", value: .string(kind.rawValue)),
      JSON.Member(name: "isKey", value: .bool(isKey)),
    ]
    if let exception { members.append(JSON.Member(name: "exception", value: exception.json)) }
    return .object(members)
  }
}

extension CommaSeparatedColumn.Exception {
  /// Why a column is of a kind, and how it would be of another.
  fileprivate func reason(_ kind: FieldKind) -> String {
    let shown = text.count > 40 ? text.prefix(40) + "…" : text[...]
    let fitting =
      "\(grouped(fittingCount)) of \(counted(fieldCount, "field")) are \(self.kind.plural)"
    let cause =
      "\(kind.rawValue) because of \"\(String(shown).printable)\" on line \(grouped(line))"
    guard kind == .text else { return "\(cause); \(fitting)" }
    return "\(cause); \(fitting) (--missing if it has no value)"
  }

  fileprivate var json: JSON {
    [
      "text": .string(text), "line": .count(line), "kind": .string(kind.rawValue),
      "fitting": .count(fittingCount), "fields": .count(fieldCount),
    ]
  }
}

extension FieldKind {
  fileprivate var plural: String {
    switch self {
    case .text: "texts"
    case .integer: "integers"
    case .double: "doubles"
    case .decimal: "decimals"
    case .boolean: "truth values"
    case .date: "dates"
    case .data: "data"
    case .reference: "references"
    }
  }
}
#endif
