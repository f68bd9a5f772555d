#if CommandLine
import Foundation
import VarveCore
import VarveJSON
import VarveStore

/// Act six: reopens the file and checks it against its log.
struct ProofAct {
  let path: String
  let releases: [Release]

  func perform(on stage: Stage) async throws {
    try stage.begin("The proof")
    try stage.say(
      "The file is opened again. Every hash is verified, and every table is compared with the log."
    )
    let (report, commitCount) = try await Store.using(path, Store.Configuration()) { store in
      (try await store.check(), try await store.log().count)
    }
    let sourceByteCount = releases.reduce(0) { $0 + $1.byteCount }
    let byteCount = try storedByteCount()
    var table = Table([
      Table.Column(heading: ""), Table.Column(heading: "", isNumeric: true),
    ])
    table.add("commits", grouped(commitCount))
    table.add("blocks", grouped(report.blockCount))
    table.add("entities compared", grouped(report.entityCount))
    table.add("findings", grouped(report.findings.count))
    table.add("bytes of the releases", grouped(sourceByteCount))
    table.add("bytes of the store, all history included", grouped(byteCount))
    try stage.show(table)
    stage.note("check", report.json)
    stage.note("bytes", ["releases": .count(sourceByteCount), "store": .count(byteCount)])
    guard report.isClean else {
      throw VarveError(.damaged, report.findings.joined(separator: "; "), at: path)
    }
  }

  /// Returns the size of the file and of its write-ahead log.
  private func storedByteCount() throws -> Int {
    try ["", "-wal"].map { path + $0 }.filter(FileManager.default.fileExists(atPath:))
      .reduce(0) { total, file in
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        return total + (attributes[.size] as? Int ?? 0)
      }
  }
}
#endif
