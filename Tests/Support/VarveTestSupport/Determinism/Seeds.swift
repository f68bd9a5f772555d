import Foundation

/// The seeds a randomised test plays: the first few in every run, all of them in `make soak`.
package enum Seeds {
  /// Whether this run plays all seeds: the environment has `VARVE_SOAK=1`.
  package static let isSoak = ProcessInfo.processInfo.environment["VARVE_SOAK"] == "1"

  /// Returns the first `count` of the seeds, or all of them in a soak.
  package static func first(_ count: UInt64, of all: Range<UInt64>) -> Range<UInt64> {
    isSoak ? all : all.lowerBound..<min(all.upperBound, all.lowerBound + count)
  }
}
