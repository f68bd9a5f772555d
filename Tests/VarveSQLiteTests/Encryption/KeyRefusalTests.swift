import Foundation
import Testing
import VarveCore
import VarveStore
import VarveTestSupport

@Suite struct KeyRefusalTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(.enabled(if: !Store.canEncrypt))
  func `a program without encryption refuses a key, and makes no file`() async throws {
    let key = try StoreKey(passphrase: "open sesame")
    await expectRefusal(.unsupported) {
      _ = try await EncryptedStore.open(scratch.path("store"), key)
    }
    #expect(try LeftBytes.count(in: scratch.path) == 0)
    try await EncryptedStore.make(scratch.path("plain"), nil)
    let plain = try await Store.open(scratch.path("plain"))
    await expectRefusal(.unsupported) {
      _ = try await plain.backup(to: scratch.path("copy"), encryption: .key(key))
    }
    try await plain.close()
    #expect(try LeftBytes.count(in: scratch.path) == 1)
  }

  @Test func `a store in memory refuses a key`() async throws {
    var configuration = Store.Configuration()
    configuration.key = .random()
    await expectRefusal(.invalidArgument) {
      _ = try await Store.open(.inMemory, configuration: configuration)
    }
  }

  @Test(.enabled(if: PlainFiles.areUsed))
  func `a file of random bytes seems encrypted, and no text or database does`() async throws {
    var random = SplitMix64(seed: 7)
    let bytes = (0..<8_192).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let files: [(Data, Bool)] = [
      (Data(bytes), true), (Data(bytes.dropLast()), false), (Data(bytes.prefix(100)), false),
      (Data(count: 8_192), false),
      (Data(String(repeating: "The quick brown fox. ", count: 1_000).utf8.prefix(8_192)), false),
    ]
    for (bytes, isLikely) in files {
      let path = scratch.path("file")
      try bytes.write(to: URL(fileURLWithPath: path))
      #expect(Store.seemsEncrypted(at: path) == isLikely)
      await expectRefusal(isLikely ? .keyMissing : .notAStore) {
        _ = try await EncryptedStore.open(path, nil)
      }
      #expect(FileManager.default.contents(atPath: path) == bytes)
    }
    #expect(!Store.seemsEncrypted(at: scratch.path("none")))
    #expect(!Store.seemsEncrypted(at: scratch.path))
  }

  @Test func `a plain store has no key to change`() async throws {
    let store = try await Store.open(.inMemory)
    await expectRefusal(.notEncrypted) { try await store.changeKey(to: .random()) }
    try await store.close()
  }
}
