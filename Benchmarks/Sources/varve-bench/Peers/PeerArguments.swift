import Foundation

/// The arguments after `--peers`: `PHASE FOLDER [--synchronized] [--quick] [--limit SECONDS]`.
struct PeerArguments {
  /// The task of one process.
  enum Phase: String, CaseIterable {
    case write
    case reopen
    case merge
  }

  let phase: Phase
  let folder: URL
  /// Whether every commit is flushed to the disk before the next.
  private(set) var isSynchronized = false
  private(set) var isQuick = false
  /// The maximum time of a step before it is cut.
  private(set) var limitSeconds = 600.0

  init(_ arguments: [String]) throws {
    guard arguments.count >= 2, let phase = Phase(rawValue: arguments[0]) else {
      let phases = Phase.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("--peers takes a phase (\(phases)) and a folder; `make peers` runs them all")
    }
    self.phase = phase
    folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
    var rest = arguments.dropFirst(2).makeIterator()
    while let argument = rest.next() {
      switch argument {
      case "--synchronized": isSynchronized = true
      case "--quick": isQuick = true
      case "--limit":
        guard let limit = rest.next().flatMap({ Double($0) }), limit > 0 else {
          throw UsageError("--limit takes a positive number of seconds")
        }
        limitSeconds = limit
      default: throw UsageError("unknown argument after --peers: \(argument)")
      }
    }
  }
}
