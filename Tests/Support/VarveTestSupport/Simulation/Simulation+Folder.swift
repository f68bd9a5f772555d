import Foundation
import VarveCore
import VarveSync

/// The folder of a simulation, through which stores exchange commits besides.
extension Simulation {
  private func folder() throws -> SyncFolder? { try plan.folder.map { try SyncFolder($0) } }

  /// Synchronises a store through the folder, in which a copy may be torn.
  func useFolder() async throws {
    guard let path = plan.folder else { return }
    let store = random.pick(stores)
    tally.folderCount += 1
    if random.chance(25) { try tear(path) }
    do {
      let log = log(of: store, for: -1)
      guard let report = try await folder()?.synchronize(log, limits: plan.limits) else { return }
      tally.receivedCount += report.receivedCount
      note("store \(store.number) uses the folder: \(report.receivedCount) came")
    } catch let error as VarveError where store.isFull && error.code == .diskFull {
      note("store \(store.number) has no room for the commits in the folder")
    }
  }

  /// Cuts a file of the folder short, or changes a byte of it.
  private func tear(_ path: String) throws {
    guard
      let names = try? FileManager.default.contentsOfDirectory(atPath: path).sorted()
        .filter({ $0.hasSuffix(".varve-segment") }), !names.isEmpty
    else { return }
    let url = URL(fileURLWithPath: path).appendingPathComponent(random.pick(names))
    var bytes = try Data(contentsOf: url)
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    if random.chance(50) { bytes = bytes.prefix(place) } else { bytes[place] ^= 0x10 }
    try bytes.write(to: url)
  }

  /// Synchronises all stores through the folder, and checks that a store that reads only the folder
  /// equals them.
  func checkFolder() async throws {
    guard let folder = try folder(), plan.fault == nil else { return }
    let newcomer = ReferenceBackend(wallMilliseconds: clock.reading())
    // If the first store finds a segment damaged, the next one writes it again.
    for _ in 0..<2 {
      for store in stores { _ = try await folder.synchronize(store.backend) }
      _ = try await folder.synchronize(newcomer)
    }
    for store in stores { _ = try await folder.synchronize(store.backend) }
    let report = try await folder.synchronize(newcomer)
    // A torn copy of commits that were lost with a disk stays; all others must be there.
    guard try await newcomer.frontier() == stores[0].backend.frontier() else {
      throw SimulationFailure("folder: a store that reads only it has other commits: \(report)")
    }
  }
}
