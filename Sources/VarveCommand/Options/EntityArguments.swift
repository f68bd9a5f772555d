#if CommandLine
import ArgumentParser
import VarveCore
import VarveJSON
import VarveStore

/// A kind of relation as an argument.
struct RelationKindArgument: ExpressibleByArgument {
  let kind: RelationKind

  init?(argument: String) {
    switch argument {
    case "owns": kind = .owns
    case "ownedBy", "owned-by": kind = .ownedBy
    case "free": kind = .free
    default: return nil
    }
  }

  static let allValueStrings = ["owns", "ownedBy", "free"]

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  /// The kind as a verb: "a owns b".
  var verb: String {
    switch kind {
    case .owns: "owns"
    case .ownedBy: "is owned by"
    case .free: "is related to"
    }
  }

  /// The kind as written on the command line.
  var text: String {
    switch kind {
    case .owns: "owns"
    case .ownedBy: "ownedBy"
    case .free: "free"
    }
  }
}

extension [EntityID] {
  /// Returns the first few identifiers, and the number of the others.
  func shown(atMost limit: Int = 8) -> String {
    let names = prefix(limit).map(\.text.printable).joined(separator: ", ")
    return count > limit ? names + ", and \(grouped(count - limit)) more" : names
  }
}
#endif
