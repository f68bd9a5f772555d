import Foundation
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

extension Store {
  /// Calls a body. If it wrote the first commit after the clock was set back, says on standard error
  /// what the store wrote while its clock was ahead.
  func warningOfClock<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
    let before = try await replica()
    let result = try await body(self)
    guard try await replica() != before else { return result }
    for ahead in try await commitsAhead() where ahead.replica == before && !ahead.isWithheld {
      let line = "warning: the clock was ahead; this store wrote \(ahead.shown)\n"
      try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
    return result
  }
}
