#if CommandLine
import VarveCore

extension CommitSummary {
  /// The author, and who handed the commit over if that was another.
  var shownAuthor: String {
    foreignHand.map { "\(author ?? "(none)"), handed over by \($0)" } ?? author ?? ""
  }
}
#endif
