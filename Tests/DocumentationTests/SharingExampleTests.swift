import Foundation
import Testing
import Varve

@Suite("The examples of sharing a file behave as documented")
struct SharingExampleTests {
  private func temporaryFile() -> String {
    NSTemporaryDirectory() + "\(UUID().uuidString).varve"
  }

  private func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  @Test func `opening a shared file, suspending and resuming`() async throws {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory())
      .appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // snippet: Sources/VarveStore/VarveStore.docc/SharingAFile.md
    let configuration = Store.Configuration()
    let store = try await Store.open(
      folder.appendingPathComponent("hats.varve").path,
      configuration: configuration
    )
    // end
    try await store.create("Hat", id: "hat-1")
    // snippet: Sources/VarveStore/VarveStore.docc/SharingAFile.md
    try await store.suspend()
    // The process is suspended, and wakes up again.
    try await store.resume()
    // end
    #expect(try await store.exists("hat-1"))
    try await store.close()
  }

  @Test func `a file that nobody shares`() async throws {
    let path = temporaryFile()
    defer { remove(path) }
    // snippet: Sources/VarveStore/VarveStore.docc/SharingAFile.md
    var configuration = Store.Configuration()
    configuration.sharing = .thisStore
    let store = try await Store.open(path, configuration: configuration)
    // end
    try await store.create("Hat")
    #expect(try await store.count(Query("Hat")) == 1)
  }

  @Test func `a class of Data Protection`() async throws {
    let path = temporaryFile()
    defer { remove(path) }
    // snippet: Sources/VarveStore/VarveStore.docc/SharingAFile.md
    var configuration = Store.Configuration()
    configuration.fileProtection = .completeUntilFirstUserAuthentication
    // end
    let store = try await Store.open(path, configuration: configuration)
    try await store.create("Hat")
    #expect(try await store.count(Query("Hat")) == 1)
  }
}
