import Foundation
import Testing
import Varve

@Suite("Models of every kind of property")
struct KindTests {
  /// A place for a store in a file.
  let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).varve").path

  @Test(arguments: [true, false])
  func `models of every kind of property read back what they saved, bit for bit`(inFile: Bool)
    async throws
  {
    defer { removeFile() }
    let sample = try Required.sample()
    var store = inFile ? try await Store.open(file) : try await Store.open(.inMemory)
    try await store.save(sample)
    if inFile {
      try await store.close()
      store = try await Store.open(file)
    }
    expectSame(try await store.require(sample.id), sample)
    expectSame(try #require(try await store.fetch(Required.all).first), sample)
  }

  @Test func `have nil properties if there is no value, and values otherwise`() async throws {
    let store = try await Store.open(.inMemory)
    let empty = try await store.save(Optionals())
    #expect(contents(of: try await store.require(empty.id)).allSatisfy { $0.value == "nil" })
    #expect(try await store.require(empty.id.entityID).properties.isEmpty)

    var full = empty
    (full.text, full.color, full.size, full.tint) = ("", .red, .small, .pale)
    (full.band, full.tints, full.numbers) = (Band(width: 1), [], [1])
    (full.decimal, full.other, full.reference) = (0, "o", empty.ref)
    try await store.save(full)
    #expect(contents(of: try await store.require(empty.id)) == contents(of: full))
    try await store.save(empty)
    #expect(contents(of: try await store.require(empty.id)) == contents(of: empty))
  }

  @Test func `have their defaults if a row has no value, nil among them`() async throws {
    let store = try await Store.open(.inMemory)
    let id = try await store.create("defaults", ["text": "kept"])
    var expected = Defaults(id: Identifier(id), text: "kept")
    expected.note = nil
    #expect(
      contents(of: try await store.require(Identifier<Defaults>(id))) == contents(of: expected)
    )
    try await store.save(expected)
    #expect(contents(of: try await store.require(expected.id)) == contents(of: expected))
  }

  @Test func `omit rows without required values, and report them`() async throws {
    let store = try await Store.open(.inMemory)
    try await store.save(try Required.sample())
    let id = try await store.create("requireds", ["text": "alone"])
    let report = try await store.fetchReport(Required.all)
    #expect(report.models.count == 1)
    #expect(report.unreadable.map(\.id) == [id])
    #expect(report.unreadable.map(\.key) == ["flag"])
    #expect(report.unreadable.map(\.reason) == [.missing])
  }

  private func removeFile() {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file + suffix)
    }
  }

  private func expectSame<Model>(_ left: Model, _ right: Model) {
    #expect(contents(of: left) == contents(of: right))
  }

  /// What a model holds, property by property: models themselves are equal by their identifiers.
  private func contents<Model>(of model: Model) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: model).children.compactMap { label, value in
        guard let label, label != "id" else { return nil }
        return (label, exactly(value))
      }
    )
  }

  private func exactly(_ value: Any) -> String {
    switch value {
    case let date as Date: "\(date.timeIntervalSinceReferenceDate.bitPattern)"
    case let data as Data: data.base64EncodedString()
    case let number as Double: "\(number.bitPattern)"
    case let numbers as Set<Int>: "\(numbers.sorted())"
    case let entries as [String: any Sendable]: "\(entries.sorted { $0.key < $1.key })"
    default: String(reflecting: value)
    }
  }
}
