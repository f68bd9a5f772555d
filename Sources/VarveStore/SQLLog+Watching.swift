import Logging
import VarveEntities
import VarveSQLite

extension SQLLog {
  /// What the engine notes of its statements for this log.
  var watch: StatementWatch {
    let (seconds, attoseconds) = slowerThan.components
    let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return StatementWatch(
      minimumNanoseconds: nanoseconds.overflow
        ? .max : nanoseconds.partialValue &+ attoseconds / 1_000_000_000,
      includesValues: includesValues
    ) { [logger, level] sql, nanoseconds in
      logger.log(
        level: level,
        "SQL",
        metadata: ["sql": "\(sql.logged)", "milliseconds": "\(Double(nanoseconds) / 1_000_000)"]
      )
    }
  }
}
