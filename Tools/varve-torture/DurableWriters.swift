import Foundation
import VarveCore
import VarveStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes in sixteen tasks at once that wait for the disk, and prints what was acknowledged, until
/// it is killed, its parent ends, or a minute is over.
enum DurableWriters {
  private static let taskCount = 16

  static func run(_ path: String, name: String) async throws {
    var configuration = Store.Configuration()
    configuration.durability = .synchronized
    let store = try await Store.open(path, configuration: configuration)
    Report.line("open")
    let (parent, end) = (getppid(), ContinuousClock.now + .seconds(60))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<taskCount {
        group.addTask {
          let author = "\(name) \(task)"
          var number: Int64 = 0
          while getppid() == parent, ContinuousClock.now < end {
            number += 1
            let n = number
            let ledger = try EntityID("ledger \(author)")
            // Closures have transactions of their own; other calls share some.
            guard task % 4 == 0 else {
              try await store.as(author).save("Ledger", id: ledger, ["n": .int(n)])
              let newest = try await store.history(of: ledger, "n", limit: 1).first
              if let newest { Report.acknowledge(newest.commit.id) }
              continue
            }
            let (_, commit) = try await store.commit(author: author) { tx in
              try await tx.save("Ledger", id: ledger, ["n": .int(n)])
            }
            if let commit { Report.acknowledge(commit.id) }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
