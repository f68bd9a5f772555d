import ArgumentParser
import Foundation
import VarveJSON

/// A date given as an argument.
enum DateArgument {
  @Sendable static func parse(_ text: String) throws -> Date {
    guard let date = DateReader.read(text) else {
      throw UsageError("write a date as \(DateReader.forms)")
    }
    return date
  }
}
