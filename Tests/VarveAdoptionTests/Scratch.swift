import Foundation
import GRDB
import VarveAdoption
import VarveCore
import VarveStore

/// A database in a folder of its own, and a store to adopt it into.
final class Scratch {
  private let folder: URL
  let store: Store
  let path: String

  init() async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.appending(path: "app.sqlite").path
    store = try await Store.open(.inMemory)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs SQL on the database, as its application would.
  func write(_ sql: String, enforcingKeys: Bool = true) throws {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = enforcingKeys
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.write { try $0.execute(sql: sql) }
    try queue.close()
  }

  @discardableResult
  func adopt(
    endsMissingRows: Bool = false,
    at time: Date? = nil
  ) async throws -> AdoptionReport {
    var options = AdoptionOptions()
    options.time = time
    options.endsMissingRows = endsMissingRows
    return try await store.adopt(sqlite: path, options)
  }

  /// Adopts the database a second time, without a change in between.
  func readopt() async throws -> AdoptionReport { try await adopt(endsMissingRows: true) }
}

extension Date {
  /// Returns the date of a text in ISO 8601.
  static func iso(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
}
