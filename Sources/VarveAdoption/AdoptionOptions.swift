public import Foundation

/// The options of an adoption.
public struct AdoptionOptions: Sendable {
  /// Whether entities end if their rows no longer exist. Entities that were not adopted stay. So do
  /// the entities of tables that the database or the plan no longer has.
  public var endsMissingRows = false
  /// Whether nothing is written, and the report counts the changes that would be made.
  public var isDryRun = false
  /// The author; may be empty.
  public var author: String?
  /// The reason; may be empty.
  public var message: String?
  /// The time from which values hold; nil for now. The rows are compared with the state at that
  /// time, and what would alter later states throws `invalidArgument`.
  public var time: Date?

  /// Creates the default options.
  public init() {}
}

/// The progress of an adoption.
public struct AdoptionProgress: Hashable, Sendable {
  /// The table that is read.
  public let table: String
  /// The number of rows that have been read.
  public let rowCount: Int
  /// The number of rows of all adopted tables.
  public let totalRowCount: Int
}
