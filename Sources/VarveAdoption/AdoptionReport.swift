public import VarveCore

/// What an adoption wrote.
public struct AdoptionReport: Sendable {
  /// The number of rows that became new entities.
  public internal(set) var createdCount = 0
  /// The number of entities with changed properties.
  public internal(set) var changedCount = 0
  /// The number of entities whose properties were up to date.
  public internal(set) var unchangedCount = 0
  /// The number of entities that ended: those of missing rows, and what they alone owned.
  public internal(set) var endedCount = 0
  /// The number of relations that were added.
  public internal(set) var relatedCount = 0
  /// The number of relations that were removed.
  public internal(set) var unrelatedCount = 0
  /// The first diagnostics: rows and links that could not be used, and why.
  public internal(set) var diagnostics: [String] = []
  /// The number of all diagnostics.
  public internal(set) var diagnosticCount = 0
  /// The first notes: what was used otherwise than one might expect, and why.
  public internal(set) var notes: [String] = []
  /// The number of all notes.
  public internal(set) var noteCount = 0
  /// The columns of a comma-separated file, with the kinds that were given or found; none for a
  /// database.
  public internal(set) var columns: [CommaSeparatedColumn] = []
  /// The commit; nil if nothing was written.
  public internal(set) var commit: CommitSummary?

  private static let keptCount = 100

  /// Adds a diagnostic.
  mutating func note(_ text: String) {
    diagnosticCount += 1
    if diagnostics.count < Self.keptCount { diagnostics.append(text) }
  }

  /// Adds a note.
  mutating func remark(_ text: String) {
    noteCount += 1
    if notes.count < Self.keptCount { notes.append(text) }
  }
}
