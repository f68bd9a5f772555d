public import VarveCore

/// How a file of comma-separated values is read.
///
/// ```swift
/// var reading = CommaSeparatedReading()
/// reading.separator = ";"
/// reading.missing = ["n/a", "-"]
/// let report = try await store.adopt(csv: "hats.csv", as: "Hat", reading: reading)
/// ```
public struct CommaSeparatedReading: Hashable, Sendable {
  /// The column that identifies a line; nil for the line's number among the lines. Identifiers
  /// derive from the type and the texts of its fields, whatever its kind.
  public var key: String?
  /// The column with the identifiers of the entities themselves, as an export writes it. It becomes
  /// no property, and excludes ``key``.
  public var identifiers: String?
  /// The kinds of columns, by their headings. By default, the key is text, and any other column has the narrowest kind
  /// that keeps all its fields.
  public var kinds: [PropertyKey: FieldKind] = [:]
  /// The properties of columns, by their headings, whose names these are not.
  public var properties: [PropertyKey: PropertyKey] = [:]
  /// The texts that stand for a missing value, quoted or not. An empty field that is not quoted is
  /// always one.
  public var missing: [String] = []
  /// The character between fields, which is ASCII; nil for a comma. Then a file whose heading has as
  /// many semicolons, tabs or bars as commas is refused.
  public var separator: Unicode.Scalar?

  /// Creates the default reading.
  public init() {}
}
