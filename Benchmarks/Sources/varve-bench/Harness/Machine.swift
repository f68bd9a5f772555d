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
    #if os(Linux)
      // Not getrusage(2), whose peak a process inherits from the one that started it.
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return (line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) } ?? 0)
        << 10
    #else
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return Int(usage.ru_maxrss)
    #endif
  }
}
