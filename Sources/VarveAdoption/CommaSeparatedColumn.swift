public import VarveCore

/// What an adoption makes of one column of a comma-separated file.
public struct CommaSeparatedColumn: Hashable, Sendable {
  /// A field that keeps a column from being of a narrower kind.
  public struct Exception: Hashable, Sendable {
    /// The text of the first such field.
    public let text: String
    /// The line on which it is.
    public let line: Int
    /// The narrower kind.
    public let kind: FieldKind
    /// The number of fields that are of that kind.
    public let fittingCount: Int
    /// The number of fields that have a value.
    public let fieldCount: Int
  }

  /// The heading.
  public let heading: String
  /// The property; nil for the column of identifiers.
  public let property: PropertyKey?
  /// The kind of its values: as given, or the narrowest that keeps all fields.
  public let kind: FieldKind
  /// Whether the column identifies a line.
  public let isKey: Bool
  /// Why the kind is no narrower one, of which most fields are; nil if no kind is.
  public let exception: Exception?
}
