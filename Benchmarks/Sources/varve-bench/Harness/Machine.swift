import Foundation
import GRDBSQLite

/// The machine of the measurement.
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

  /// The compiler's version, as far as it is known.
  static var swiftVersion: String {
    #if compiler(>=6.4)
    return "6.4 or newer"
    #elseif compiler(>=6.3)
    return "6.3"
    #else
    return "6.2"
    #endif
  }

  /// The number of threads that wanted a core in the last minute. If it exceeds the number of
  /// cores, the machine is busy.
  static var load: Double {
    var averages = [0.0, 0, 0]
    return getloadavg(&averages, 3) > 0 ? averages[0] : .nan
  }

  /// The most memory this process has had, in bytes.
  static var peakMemory: Int {
    #if os(Linux)
    // Not getrusage(2), whose peak a process inherits from the one that started it.
    return status("VmHWM:")
    #else
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return Int(usage.ru_maxrss)
    #endif
  }

  /// The memory of this process in bytes, or its peak if the system does not report it.
  static var residentMemory: Int {
    #if os(Linux)
    return status("VmRSS:")
    #else
    return peakMemory
    #endif
  }

  #if os(Linux)
  /// Returns a size that the system records of this process, in bytes.
  private static func status(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    let size = line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
    return (size ?? 0) << 10
  }
  #endif
}
