import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveStore
import VarveTestSupport

@Suite("Nothing plain of an encrypted store", .enabled(if: Store.canEncrypt))
struct NothingPlainTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let marker = "marker-of-a-secret"

  @Test(arguments: [false, true])
  func `is in the files of its folder after much work`(isEncrypted: Bool) async throws {
    let key = isEncrypted ? try StoreKey(passphrase: "open sesame") : nil
    let store = try await EncryptedStore.open(scratch.path("store"), key)
    let copy = try await EncryptedStore.open(scratch.path("copy"), key)
    try await work(store, copy)
    // While both are open, with their logs, and when they are closed.
    var found = try LeftBytes.files(in: scratch.path, containing: Self.marker)
    try await store.close()
    try await copy.close()
    found += try LeftBytes.files(in: scratch.path, containing: Self.marker)
    // A test run with a key for every store has no plain ones.
    let isPlain = !isEncrypted && PlainFiles.areUsed
    #expect(found.isEmpty == !isPlain, "\(found)")
    #expect(try LeftBytes.count(in: scratch.path) == 3)
  }

  private func work(_ store: Store, _ copy: Store) async throws {
    let marker = Self.marker
    try await store.addIndex(on: "name", of: "Hat")
    try await store.addSearch(on: ["name"], of: "Hat")
    try await store.write(author: marker, message: marker) { tx in
      for number in 0..<2_000 {
        try await tx.create(
          "Hat",
          id: EntityID("\(marker)-\(number)"),
          ["name": .string("\(marker) \(number)"), "size": .int(Int64(number))]
        )
      }
    }
    try await copy.merge(from: store)
    try await copy.set(EntityID("\(marker)-1"), "name", .string("\(marker) changed"))
    _ = try await store.sync(with: copy)
    _ = try await store.fetch(Query("Hat").where(.matches("changed", [Field("name")])))
    _ = try await store.erase(EntityID("\(marker)-2"))
    _ = try await store.purge([EntityID("\(marker)-3")])
    #expect(try await store.check().isClean)
    try await store.rebuild()
    try await store.backup(to: scratch.path("backup"))
  }
}
