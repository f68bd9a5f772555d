#if CommandLine
import ArgumentParser
import Foundation
import VarveCore
import VarveJSON

/// Parses a date argument.
enum DateArgument {
  @Sendable static func parse(_ text: String) throws -> Date {
    guard let date = DateReader.read(text) else {
      throw UsageError("write a date as \(DateReader.forms)")
    }
    guard (try? HybridTime(date)) != nil else {
      throw UsageError("dates must be between \(HybridTime.firstDate) and \(HybridTime.lastDate)")
    }
    return date
  }
}
#endif
