/// The limit that a ratio must reach.
struct Bar {
  /// On which side of the limit the ratio must lie.
  enum Direction {
    case atLeast
    case atMost
  }

  let direction: Direction
  let limit: Double

  static func atLeast(_ limit: Double) -> Bar { Bar(direction: .atLeast, limit: limit) }
  static func atMost(_ limit: Double) -> Bar { Bar(direction: .atMost, limit: limit) }

  func isMet(by ratio: Double) -> Bool {
    direction == .atLeast ? ratio >= limit : ratio <= limit
  }

  var text: String { (direction == .atLeast ? "≥ " : "≤ ") + limit.shown }
}

/// All bars in one place; a row for information has none.
enum Bars {
  static let bulkInsertToRaw = Bar.atLeast(0.95)
  static let bulkInsertToRecords = Bar.atLeast(2.7)
  static let wideInsertToRaw = Bar.atLeast(0.80)
  static let smallTransactionsToRaw = Bar.atLeast(0.75)
  static let updatesToRaw = Bar.atLeast(0.75)
  static let updatesToRecords = Bar.atLeast(1.3)
  static let queriedUpdateToRaw = Bar.atLeast(0.6)
  static let findToRaw = Bar.atLeast(0.8)
  static let findToRecords = Bar.atLeast(15)
  /// Live objects, to the typed find of a struct.
  static let liveToFind = Bar.atLeast(15)
  static let coldToFind = Bar.atLeast(0.8)
  static let fetchAllToRaw: Bar? = .atLeast(1.2)
  static let fetchAllToRecords: Bar? = .atLeast(3)
  /// Orders of fourteen columns, to the raw reading of the same columns.
  static let ordersToRaw = Bar.atMost(1.1)
  static let pastOrdersToPresent = Bar.atMost(1.5)
  static let typedInsertToDynamic = Bar.atLeast(0.9)
  static let aggregatesToRaw = Bar.atLeast(0.9)
  static let joinToRaw = Bar.atLeast(0.95)
  static let eagerToRaw: Bar? = nil
  static let indexedFilterToRaw = Bar.atLeast(0.85)
  static let historyToFind = Bar.atMost(10)
  static let hotHistoryToFind = Bar.atMost(3)
  static let creationValueToFind = Bar.atMost(10)
  /// One old value of an entity, to reading its whole history.
  static let oldValueToHistory = Bar.atMost(2)
  /// A page of a past state, to the same page now.
  static let pastPageToPresent = Bar.atMost(20)
  static let pastStepToPresent = Bar.atMost(3)
  /// A time bar, to counting the commits that the log lists.
  static let timelineToLog = Bar.atLeast(50)
  /// The rate of 64 tasks that wait for the disk, to that of one.
  static let durableTasksToOne = Bar.atLeast(8)
  /// The least share of all tasks, to a fair one.
  static let leastShareToFair = Bar.atLeast(0.5)
  static let historyGrowth = Bar.atMost(1.5)
  static let bytesToRaw = Bar.atMost(1.1)
  static let inBulkToOneByOne: Bar? = nil
  static let mergeToBulkInsert = Bar.atLeast(0.8)
  /// Importing JSON, to simdjson's parse alone and the same bulk insert.
  static let importToParts = Bar.atMost(1.2)
  static let importAgainToFirst = Bar.atLeast(2)
  /// A sealed space, to an open one.
  static let sealedInsertToOpen = Bar.atLeast(0.7)
  static let sealedSyncToOpen = Bar.atLeast(0.6)
  static let sealedFindToOpen = Bar.atLeast(0.95)
  /// A leaf is erased and restored in a time that does not follow the size of the store.
  static let leafGrowth = Bar.atMost(1.5)
}
