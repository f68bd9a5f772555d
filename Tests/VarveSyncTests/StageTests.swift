import Foundation
import Testing
import VarveCore
import VarveSync
import VarveTestSupport

@Suite struct StageTests {
  private static let marker = "marker-of-a-secret"

  /// A commit whose blocks are not compressed.
  private static var commit: Commit {
    var replica = ScriptedReplica(1)
    return replica.commit(
      at: 1,
      sealing: (0..<20).map { Array("\(marker) \($0)".utf8) }
    )
  }

  @Test(arguments: [false, true])
  func `a staged commit is read as it was written`(isSealed: Bool) throws {
    let commit = Self.commit
    let stage = try Stage(commit.header, isSealed: isSealed)
    for block in commit.blocks { try stage.add(block) }
    // What is read once can be read again.
    for _ in 0..<2 {
      let next = try stage.parts()
      var (headers, blocks): ([CommitHeader], [Block]) = ([], [])
      while let part = try next() {
        switch part {
        case .header(let header): headers.append(header)
        case .block(let block): blocks.append(block)
        }
      }
      #expect(headers == [commit.header] && blocks == commit.blocks)
    }
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")),
    arguments: [false, true]
  )
  func `the temporary file of an encrypted log has nothing plain`(isSealed: Bool) throws {
    let before = Self.openStages()
    let commit = Self.commit
    let stage = try Stage(commit.header, isSealed: isSealed)
    for block in commit.blocks { try stage.add(block) }
    // Other tests may stage commits at the same time, but none with this text.
    let files = Self.openStages().subtracting(before)
    let found = files.filter {
      FileManager.default.contents(atPath: $0)?.range(of: Data(Self.marker.utf8)) != nil
    }
    #expect(found.isEmpty == isSealed)
    #expect(!files.isEmpty)
    withExtendedLifetime(stage) {}
  }

  /// The descriptors of temporary files that lost their names.
  private static func openStages() -> Set<String> {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return Set(names.map { "\(folder)/\($0)" }).filter {
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: $0)
      return target?.contains("varve-stage-") ?? false
    }
  }
}
