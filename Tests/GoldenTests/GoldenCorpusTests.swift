import Foundation
import Testing
import VarveCore
import VarveJSON
import VarveSQLite
import VarveStore
import VarveSync
import VarveTestSupport

@Suite("Files of the first format")
struct GoldenCorpusTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func text(_ name: String) throws -> String {
    try String(contentsOf: GoldenCorpus.url(name), encoding: .utf8)
  }

  /// Expects a backend to be sound and to have the expected contents, also after a rebuild.
  private func expect(_ backend: any Backend, _ name: String) async throws {
    let expected = try text(name)
    let isSame = try await GoldenCorpus.text(of: backend) == expected
    #expect(isSame, "it says something else than \(name)")
    #expect(try await backend.check { _ in }.findings == [])
    try await backend.rebuild()
    let isSameRebuilt = try await GoldenCorpus.text(of: backend) == expected
    #expect(isSameRebuilt, "rebuilt, it says something else than \(name)")
  }

  @Test(arguments: ["one", "two"])
  func `are opened and checked, and have their expected contents`(name: String) async throws {
    let backend = try await GoldenCorpus.open(try scratch.copy("\(name).varve"))
    try await expect(backend, "\(name).txt")
    let store = Store(backend: backend)
    try await store.create("Hat", id: "new", ["color": "red"])
    #expect(try await store.check().findings == [])
    try await store.close()
  }

  @Test func `files of the first format have their expected contents`() throws {
    let after = try text("after.txt")
    for word in [
      "conflict ana color", "withheld ", "array", "dictionary", "\"Wide\" 1", "former", "erased",
      "recreated", "restored", "VarveReplica", "digest ", "head ",
    ] { #expect(after.contains(word), "\(word)") }
    let heads = after.components(separatedBy: "\n").filter { $0.hasPrefix("head ") }
    let replicas = heads.map { $0.split(separator: " ")[1] }
    #expect(Set(replicas).count < replicas.count, "a fork")
  }

  @Test(arguments: [0, 1])
  func `files of the first format are answered frame by frame as before`(side: Int) async throws {
    let frames = GoldenFrame.read(try Data(contentsOf: GoldenCorpus.url("transcript.bin")))
    let backend = try await GoldenCorpus.open(
      try scratch.copy(side == 0 ? "one.varve" : "two.varve")
    )
    if side == 0 {
      let folder = try SyncFolder(try scratch.copy("large"))
      _ = try await folder.synchronize(backend)
    }
    var here = try await GoldenSide(backend, tag: UInt64(side + 1))
    var sent = try await here.step()
    for frame in frames where frame.side != side { sent += try await here.step(frame.bytes) }
    #expect(here.session.isOver)
    let expected = frames.filter { $0.side == side }.map(\.bytes)
    #expect(sent.dropFirst() == expected.dropFirst())
    // Present greetings offer more, in fields that older readers skip.
    var (greeting, first) = (try hello(sent[0]), try hello(expected[0]))
    (greeting.extensions, first.extensions) = ([], [])
    #expect(greeting == first)
    try await expect(backend, "after.txt")
    try await backend.close()
  }

  private func hello(_ frame: [UInt8]) throws -> Hello {
    guard case .hello(let hello)? = try Message(Frame(encoded: frame)) else {
      throw VarveError(.damaged, "the first frame is no greeting")
    }
    return hello
  }

  @Test func `files of the first format are added from a folder, which is then complete`()
    async throws
  {
    let backend = try await GoldenCorpus.open(scratch.path("new.varve"))
    let folder = try SyncFolder(try scratch.copy("folder"))
    let report = try await folder.synchronize(backend)
    #expect(report.isComplete && report.sentCount == 0 && report.receivedCount > 60)
    try await expect(backend, "after.txt")
    try await backend.close()
    // Segments that are written again have the same names, and so the same bytes.
    let again = try await GoldenCorpus.open(scratch.path("new.varve"))
    let other = scratch.path("other")
    _ = try await SyncFolder(other).synchronize(again)
    let names = try [other, GoldenCorpus.url("folder").path].map {
      Set(try FileManager.default.contentsOfDirectory(atPath: $0))
    }
    #expect(names[0] == names[1])
    try await again.close()
  }

  @Test func `are added from a full document, and written identically`() async throws {
    let backend = try await GoldenCorpus.open(scratch.path("new.varve"))
    let store = Store(backend: backend)
    let url = GoldenCorpus.url("full.json")
    let report = try await store.load(DocumentSource(file: url.path))
    #expect(report.importedCount > 60)
    try await expect(backend, "after.txt")
    let output = GoldenOutput()
    try await store.export(.full) { output.add($0) }
    #expect(try output.data == Data(contentsOf: url))
    try await store.close()
  }

  @Test func `files of the first format are small`() throws {
    let paths = FileManager.default.enumerator(atPath: GoldenCorpus.directory.path)
    let sizes = paths?.compactMap { path in
      try? FileManager.default.attributesOfItem(
        atPath: GoldenCorpus.directory.appendingPathComponent("\(path)").path
      )[.size] as? Int
    }
    let sum = sizes?.reduce(0, +) ?? 0
    #expect(sum > 100_000 && sum < 1_000_000, "\(sum) bytes")
  }
}
