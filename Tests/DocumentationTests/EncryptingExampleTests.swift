import Foundation
import Testing
import VarveStore

/// The code of the documentation of encryption, run where the program can encrypt.
@Suite("The examples of encryption behave as documented", .enabled(if: Store.canEncrypt))
struct EncryptingExampleTests {
  @Test func `encrypting a store`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("varve-example-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("notes.varve").path
    let encryptedPath = folder.appendingPathComponent("encrypted.varve").path
    // snippet: Sources/VarveStore/VarveStore.docc/EncryptingStores.md
    var configuration = Store.Configuration()
    configuration.key = try StoreKey(passphrase: "correct horse battery staple")
    let store = try await Store.open(path, configuration: configuration)
    try await store.create("Note", id: "note-1", ["text": "unreadable without the key"])
    // end
    #expect(Store.seemsEncrypted(at: path))
    // snippet: Sources/VarveStore/VarveStore.docc/EncryptingStores.md
    let key = StoreKey.random()
    configuration.key = key
    print(key)  // StoreKey (32 bytes)
    // end
    #expect("\(key)" == "StoreKey (32 bytes)")
    let plain = try await Store.open(.inMemory)
    try await plain.create("Note", id: "note-2")
    // snippet: Sources/VarveStore/VarveStore.docc/EncryptingStores.md
    try await plain.backup(to: encryptedPath, encryption: .key(key))
    // end
    let encrypted = try await Store.open(encryptedPath, configuration: configuration)
    #expect(try await encrypted.entity("note-2") != nil)
    try await encrypted.close()
    // snippet: Sources/VarveStore/VarveStore.docc/EncryptingStores.md
    try await store.changeKey(to: StoreKey(passphrase: "another four random words"))
    // end
    try await store.close()
    configuration.key = try StoreKey(passphrase: "another four random words")
    let again = try await Store.open(path, configuration: configuration)
    #expect(try await again.entity("note-1")?["text"] == "unreadable without the key")
    try await again.close()
  }
}
