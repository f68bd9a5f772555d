public import Foundation
public import VarveStore

/// How a document is imported.
public struct ImportOptions: Sendable {
  /// What of the document is mapped and how, instead of the mappings' own roots.
  public var roots: [Mappings.Root] = []
  /// The policies of relations, by property, instead of those of the mappings.
  public var policies: [String: RelationPolicy] = [:]
  /// Whether nothing is written, and the report lists what would be.
  public var isDryRun = false
  /// Whether the report lists the entities of the top-level objects.
  public var listsEntities = true
  /// The author of the commit; nil if there is none.
  public var author: String?
  /// The reason; nil if there is none.
  public var message: String?
  /// When values hold from, if not from now.
  public var time: Date?

  /// The models whose defaults, managed dates and rules hold for what is written, beside those of
  /// `Store.Configuration`.
  public var models: [any Persistable.Type] = []
  /// What becomes of an import that breaks their rules.
  public var rules = RulePolicy.report

  /// The usual options.
  public init() {}
}
