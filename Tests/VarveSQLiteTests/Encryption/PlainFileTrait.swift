import Foundation
import Testing

extension Trait where Self == ConditionTrait {
  /// The test reads or changes the bytes of plain files, or needs a plain store. It is left out of a
  /// run in which all stores have a key.
  static var ofPlainFiles: ConditionTrait {
    .enabled(if: ProcessInfo.processInfo.environment["VARVE_TEST_KEY"] == nil)
  }
}
