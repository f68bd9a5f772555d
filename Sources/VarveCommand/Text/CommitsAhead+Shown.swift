#if CommandLine
import VarveJSON
import VarveStore

extension CommitsAhead {
  /// Whose commits they are, how many, and until when they have no effect.
  var shown: String {
    let commits = "\(counted(commitCount, "commit")) of replica \(replica)"
    let time = DateWriter.exact(until) ?? ""
    return isWithheld
      ? "\(commits) withheld until \(time): stamped ahead of this computer's clock"
      : "\(commits) stamped ahead of this computer's clock: others withhold them until \(time)"
  }
}
#endif
