#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON

/// Names of states that only a session takes: years and months.
enum ShellMoment {
  /// Reads the name of a state.
  static func parse(_ name: String) throws -> MomentName {
    guard let moment = MomentName(name) else {
      throw UsageError(
        "There is no state \"\(name)\": name it as \(MomentName.forms), or as a year or month such "
          + "as 2018 or 2018-12."
      )
    }
    return moment
  }

  /// Returns the last moment of a year or a month (`2018`, `2018-12`) as a date; any other name as
  /// it is.
  static func expanded(_ name: String) -> String {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard let year = number(parts.first, digits: 4), parts.count <= 2 else { return name }
    guard parts.count == 2 else { return "\(name)-12-31T23:59:59.999Z" }
    guard let month = number(parts[1], digits: 2), (1...12).contains(month) else { return name }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    return "\(name)-\(days)T23:59:59.999Z"
  }

  private static func number(_ text: Substring?, digits: Int) -> Int? {
    guard let text, text.utf8.count == digits, text.utf8.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return Int(text)
  }
}
#endif
