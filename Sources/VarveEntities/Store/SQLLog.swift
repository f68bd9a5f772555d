public import Logging

/// A log of the SQL statements that a store runs, or of the slow ones.
///
/// ```swift
/// var configuration = Store.Configuration()
/// configuration.sqlLog = SQLLog(slowerThan: .milliseconds(100))
/// ```
///
/// Each line has the statement as the metadata `sql`, and its time as `milliseconds`. Values are
/// bound to placeholders and not logged, except those that a caller wrote into SQL of its own. The
/// statements that Varve runs may change with each release.
public struct SQLLog: Sendable {
  /// Where the lines go.
  public var logger: Logger
  /// The level of the lines.
  public var level: Logger.Level
  /// The time that a statement must take to be logged; zero for all statements.
  public var slowerThan: Duration
  /// Whether the values are logged in place of the placeholders. They may be personal data.
  public var includesValues: Bool

  /// Creates a log.
  public init(
    logger: Logger = Logger(label: "varve.sql"),
    level: Logger.Level = .debug,
    slowerThan: Duration = .zero,
    includesValues: Bool = false
  ) {
    self.logger = logger
    self.level = level
    self.slowerThan = slowerThan
    self.includesValues = includesValues
  }
}
