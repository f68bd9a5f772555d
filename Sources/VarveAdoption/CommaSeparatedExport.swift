/// What an export of comma-separated lines wrote, and how it is read again.
public struct CommaSeparatedExport: Hashable, Sendable {
  /// The number of lines, without the heading.
  public internal(set) var lineCount = 0
  /// How an adoption reads the lines as the same entities: the column of identifiers, the kinds of
  /// all exact columns, and the properties whose names are not their headings.
  public internal(set) var reading = CommaSeparatedReading()
  /// The headings of columns whose kinds an adoption would not find by itself.
  public internal(set) var disguised: [String] = []
  /// The columns whose values cannot be read again as they were, and why.
  public internal(set) var inexact: [InexactColumn] = []
}
