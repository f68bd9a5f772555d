import Foundation
import Logging
import Synchronization
import Testing
import VarveCore
import VarveStore

/// Keeps the lines of a logger.
private final class LogLines: Sendable {
  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let sql = event.metadata?["sql"] ?? ""
      lines.all.withLock { $0.append("\(event.level) \(event.message) \(sql)") }
    }
  }

  private let all = Mutex<[String]>([])

  var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

  var text: String { all.withLock { $0.joined(separator: "\n") } }
}

@Suite("The log of SQL")
struct SQLLogTests {
  private func lines(_ adjust: (inout SQLLog) -> Void) async throws -> String {
    let lines = LogLines()
    var log = SQLLog(logger: lines.logger)
    adjust(&log)
    let store = try await makeStore(.file) { $0.sqlLog = log }
    try await store.create("Hat", id: "hat-1", ["color": "secret red"])
    _ = try await store.fetch(Query("Hat").where(Field("color") == "secret blue"))
    try await store.close()
    return lines.text
  }

  @Test func `the log of SQL has the statements of reads and writes, without their values`()
    async throws
  {
    let text = try await lines { $0.level = .info }
    #expect(text.contains("info SQL SELECT"))
    #expect(text.contains("INSERT"))
    #expect(!text.contains("secret"))
  }

  @Test func `the log of SQL has the values if that is asked for`() async throws {
    let text = try await lines { $0.includesValues = true }
    #expect(text.contains("secret blue"))
  }

  @Test func `the log of SQL has only what is slower than a limit`() async throws {
    #expect(try await lines { $0.slowerThan = .seconds(3_600) }.isEmpty)
    #expect(try await lines { $0.slowerThan = .seconds(Int64.max) }.isEmpty)
  }
}

@Suite("A store at a URL")
struct StoreURLTests {
  @Test func `a store at a URL is the file that the URL names, also one with spaces`() async throws
  {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString) é.varve")
    defer {
      for suffix in ["", "-wal", "-shm", "-checkpoint"] {
        try? FileManager.default.removeItem(atPath: url.path + suffix)
      }
    }
    let store = try await Store.open(url: url)
    try await store.create("Hat", id: "a")
    try await store.close()
    let again = try await Store.open(url.path)
    #expect(try await again.count(Query("Hat")) == 1)
    try await again.close()
  }

  @Test(arguments: ["https://a.example/b", "varve:x", "x"])
  func `a store at a URL is refused if the URL names no file`(text: String) async throws {
    let url = try #require(URL(string: text))
    let error = await failure { _ = try await Store.open(url: url) }
    #expect(error?.code == .invalidArgument)
  }
}
