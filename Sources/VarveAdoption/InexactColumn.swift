import VarveCore

/// A column of an export whose values cannot be read again as they were.
public struct InexactColumn: Hashable, Sendable {
  /// The table; of comma-separated lines, the type.
  public let table: String
  /// The column.
  public let column: String
  /// The reason.
  public let reason: String

  /// The reason of an end of links that no foreign key can describe: an adoption reads the table of the
  /// links as one of entities.
  static let severalTypes =
    "it refers to entities of several types, so the links are read as entities"
}

extension ExportedType.Column {
  /// Why values are read again as others; nil if they are not. Texts tell apart neither the kinds of
  /// values in one column, nor what is in an array.
  var inexactness: String? {
    let names = kinds.map(\.name).sorted().joined(separator: ", ")
    if kinds.count > 1 { return "it has values of several kinds: \(names)" }
    if kinds == [.array] || kinds == [.dictionary] { return "it has the JSON of values: \(names)" }
    return hasFarDates ? "it has dates outside the years 0 to 9999" : nil
  }

  /// Why a database has values that are read again as others; nil if it has not. It declares the
  /// kind of a column, but references only with their table.
  var inexactnessInDatabase: String? {
    if let inexactness { return inexactness }
    if hasOddDoubles { return "it has NaN or -0.0, which SQLite does not store" }
    guard kinds == [.reference], target == nil else { return nil }
    return "it refers to entities of several types, or to none"
  }
}
