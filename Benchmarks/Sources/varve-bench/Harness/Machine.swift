import Foundation
import GRDBSQLite

/// What the figures were measured on.
enum Machine {
  static var description: String {
    let process = ProcessInfo.processInfo
    let memory = Double(process.physicalMemory) / Double(1 << 30)
    return "\(process.activeProcessorCount) cores, \(memory.shown) GiB"
  }

  static var systemDescription: String { ProcessInfo.processInfo.operatingSystemVersionString }

  static var sqliteVersion: String {
    sqlite3_libversion().map { String(cString: $0) } ?? "unknown"
  }

  /// The most memory this process has had, in bytes.
  static var peakMemory: Int {
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return Int(usage.ru_maxrss) << 10
    #else
      getrusage(RUSAGE_SELF, &usage)
      return Int(usage.ru_maxrss)
    #endif
  }
}
