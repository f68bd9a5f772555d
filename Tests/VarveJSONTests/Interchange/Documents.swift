import Foundation
import VarveCore
import VarveJSON
import VarveSQLite
import VarveStore
import VarveTestSupport

/// Creates an empty store whose clock does not advance until it is moved.
func makeStore(_ clock: TestClock = TestClock()) async throws -> Store {
  Store(backend: try await makeBackend(clock))
}

/// An empty log in SQLite's memory.
func makeBackend(_ clock: TestClock, replica: ReplicaID? = nil) async throws -> SQLiteBackend {
  var configuration = SQLiteBackend.Configuration()
  configuration.wallMilliseconds = clock.reading()
  configuration.replica = replica
  return try await SQLiteBackend.open(.inMemory, configuration: configuration)
}

extension Store {
  /// A document of the store, as text.
  func document(_ form: InterchangeForm) async throws -> String {
    var bytes: [UInt8] = []
    try await export(form) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Loads a text.
  @discardableResult
  func load(_ text: String) async throws -> LoadReport {
    try await load(DocumentSource(text: text))
  }

  /// The records of a compact or normalized document, in no particular order.
  func records(_ form: InterchangeForm) async throws -> Set<String> {
    Set(
      try await document(form).split(separator: "\n").filter { $0.hasPrefix("{\"identifier") }
        .map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }
    )
  }
}

/// What a body throws, or nil.
func failure(_ body: () async throws -> Void) async -> VarveError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? VarveError
  }
}

extension Date {
  /// A date, as documents write it.
  static func iso(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
}
