public import Foundation
public import VarveStore

/// The options of an import.
public struct ImportOptions: Sendable {
  /// The mapped parts of the document, instead of the mappings' own roots.
  public var roots: [Mappings.Root] = []
  /// The policies of relations, by property, instead of those of the mappings.
  public var policies: [String: RelationPolicy] = [:]
  /// Whether nothing is written, and the report lists the changes that would be made.
  public var isDryRun = false
  /// Whether the report lists the entities of the top-level objects.
  public var listsEntities = true
  /// The author; may be empty.
  public var author: String?
  /// The reason; may be empty.
  public var message: String?
  /// The time from which values hold; nil for now.
  public var time: Date?

  /// The models whose defaults, managed dates and rules apply to the import, in addition to those
  /// of `Store.Configuration`.
  public var models: [any Persistable.Type] = []
  /// The policy for an import that violates their rules.
  public var rules = RulePolicy.report

  /// Creates the default options.
  public init() {}
}
