import Foundation
import Synchronization
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite("Looks for commits of other processes", .timeLimit(.minutes(1)))
struct ChangePollerTests {
  /// A probe that counts how often it is asked, and finds what it is told to.
  private final class CountingProbe: ChangeProbe {
    let file: String?
    let lookCount = Atomic(0)

    init(_ file: String?) { self.file = file }

    func hasChanged() throws -> Bool {
      lookCount.wrappingAdd(1, ordering: .relaxed).newValue > 1
    }

    func close() {}

    /// Waits until it was asked so often.
    func wait(for count: Int) async throws {
      while lookCount.load(ordering: .relaxed) < count {
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  @Test func `are not made while the file does not change, and follow each change`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("store")
    // Without a signal the next look would be too late for the test.
    let poller = ChangePoller(pause: .seconds(3_600))
    let probe = CountingProbe(path)
    let changes = poller.changes(of: probe)
    try await probe.wait(for: 1)
    try await Task.sleep(for: .milliseconds(300))
    #expect(probe.lookCount.load(ordering: .relaxed) == 1)
    try Data([1]).write(to: URL(fileURLWithPath: scratch.path("other")))
    try await Task.sleep(for: .milliseconds(100))
    #expect(probe.lookCount.load(ordering: .relaxed) == 1)
    for (number, name) in ["store", "store-wal", "store-wal"].enumerated() {
      let before = probe.lookCount.load(ordering: .relaxed)
      let file = scratch.path(name)
      if !FileManager.default.fileExists(atPath: file) {
        try Data().write(to: URL(fileURLWithPath: file))
      } else {
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.write(contentsOf: Data([UInt8(number)]))
        try handle.close()
      }
      try await probe.wait(for: before + 1)
    }
    for await _ in changes { break }
  }

  @Test func `are made again and again where the system gives no notice`() async throws {
    let poller = ChangePoller(pause: .seconds(3_600))
    for file in [nil, "/nowhere/at/all/store"] {
      let probe = CountingProbe(file)
      let changes = poller.changes(of: probe)
      try await probe.wait(for: 4)
      for await _ in changes { break }
    }
  }

  @Test func `looks for commits of other processes end with the sequence`() async throws {
    let scratch = try Scratch()
    let poller = ChangePoller(pause: .milliseconds(1))
    let probe = CountingProbe(scratch.path("store"))
    let task = Task { for await _ in poller.changes(of: probe) {} }
    try await probe.wait(for: 3)
    task.cancel()
    _ = await task.value
    // One look may be under way.
    try await Task.sleep(for: .milliseconds(50))
    let count = probe.lookCount.load(ordering: .relaxed)
    try await Task.sleep(for: .milliseconds(100))
    #expect(probe.lookCount.load(ordering: .relaxed) == count)
  }
}
