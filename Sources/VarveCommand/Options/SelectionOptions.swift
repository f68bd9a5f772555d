#if CommandLine
import ArgumentParser
import VarveCore

/// The conditions, order and limit of a command that reads or writes the entities of a query.
struct SelectionOptions: ParsableArguments {
  @Option(
    name: .customLong("where"),
    help: ConditionArgument.help,
    transform: ConditionArgument.parse
  )
  var conditions: [Condition] = []
  @Option(
    name: .customLong("order"),
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Order by a key, or descending with -key; repeat to break ties.",
      valueName: "key"
    ),
    transform: FieldName.parseOrdering
  )
  var orderings: [Query.Ordering] = []
  @Option(parsing: .unconditional, help: "The maximum number of entities.") var limit: Int?

  var isEmpty: Bool { conditions.isEmpty && orderings.isEmpty && limit == nil }

  func validate() throws {
    if (limit ?? 0) < 0 { throw UsageError("--limit must not be negative.") }
  }

  /// Returns the names that the options read of a type.
  func names(of type: EntityType) -> ReadNames {
    ReadNames(type: type, keys: orderings.flatMap(\.field.ownKeys), conditions: conditions)
  }

  /// Returns the query for the entities of a type.
  ///
  /// - Parameter ignoringCase: whether texts are compared and ordered without regard to case.
  func query(_ type: EntityType, ignoringCase: Bool = false) -> Query {
    func interpreted(_ field: Field) -> Field { ignoringCase ? field.ignoringCase : field }
    var query = Query(type)
    for condition in conditions { query = query.where(condition.mapFields(interpreted)) }
    for ordering in orderings {
      let field = interpreted(ordering.field)
      query = query.order(by: field, descending: ordering.isDescending)
    }
    return limit.map { query.limit($0) } ?? query
  }
}
#endif
