#if CommandLine
import Foundation
import VarveStore

extension Store {
  /// Calls a body. If it wrote the first commit after the clock was set back, says on standard error
  /// what the store wrote while its clock was ahead.
  func warningOfClock<Result>(_ body: (Store) async throws -> Result) async throws -> Result {
    let before = try? await replica()
    let result = try await body(self)
    guard let before, let own = try? await replica(), own != before else { return result }
    let all = (try? await commitsAhead()) ?? []
    for ahead in all where ahead.replica == before && !ahead.isWithheld {
      let line = "warning: the clock was ahead; this store wrote \(ahead.shown)\n"
      try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
    }
    return result
  }
}
#endif
