import Logging
import VarveCore
package import VarveEntities

/// Logs the rows that queries omit.
package enum UnreadableLog {
  private static let logger = Logger(label: "varve")

  /// Logs one line for all rows of a query.
  package static func note(_ rows: [UnreadableRow]) {
    guard let first = rows.first else { return }
    logger.warning(
      "rows that could not be read were omitted",
      metadata: [
        "count": "\(rows.count)", "type": "\("\(first.type)".logged)",
        "first": "\("\(first)".logged)",
      ]
    )
  }

  /// Logs one line for all groups of a query whose keys could not be read.
  static func note(groups count: Int, of type: EntityType, first: VarveError) {
    logger.warning(
      "groups whose keys could not be read were omitted",
      metadata: [
        "count": "\(count)", "type": "\("\(type)".logged)", "first": "\(first.message.logged)",
      ]
    )
  }
}
