#if CommandLine
import VarveCore
import VarveJSON

extension Cell.Content {
  /// The value column of a history.
  var shown: String {
    switch self {
    case .life(.created(let type, _)): "(created, \(type))"
    case .life(.recreated(let type, _)): "(created again, \(type))"
    case .life(.erased): "(erased)"
    case .life(.restored): "(restored)"
    case .value(_, let value, _): value.shown
    case .removal: "(removed)"
    case .collection: "(a collection)"
    case .add(_, let target, _, _): "+ \(target)"
    case .remove(_, let target, _): "- \(target)"
    }
  }
}

extension Value {
  /// The value for people, dates to the digit.
  var shown: String {
    if case .date(let date) = self { return DateWriter.exact(date) ?? DateWriter.distant(date) }
    return description
  }
}
#endif
