public import VarveEntities
import VarveSQLite

extension Store {
  /// The number of bytes that the page caches of all open stores of this process may use together.
  ///
  /// By default it is a 32nd of the device's memory, from 32 MiB to 512 MiB, and 16 MiB in an
  /// extension of an application, such as a widget.
  ///
  /// Connections share it equally, up to 64 MiB and at least 512 KiB each. Only the stores used
  /// last keep connections: one for every 8 MiB of the budget, and fewer if the process may open
  /// few files. The others close theirs, with all that these hold in memory, until they are used
  /// again. So a process can have a thousand stores open.
  ///
  /// ```swift
  /// Store.memoryBudget = 128 << 20
  /// ```
  ///
  /// Stores in memory, and rows and entities that were read, are not counted.
  public static var memoryBudget: Int {
    get { SQLiteBackend.memoryBudget }
    set { SQLiteBackend.memoryBudget = newValue }
  }
}
