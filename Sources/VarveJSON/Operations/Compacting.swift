import Foundation
import VarveCore
import VarveStore

/// `compact`: compacts history up to a date, or keeps that of the last seconds.
struct CompactOperation: StoreOperation {
  static let name = "compact"
  static let isSigned = true

  private enum Kept {
    case since(Date)
    case seconds(Int)
  }

  private let kept: Kept

  init(_ fields: inout Fields) throws {
    let path = fields.path
    switch (fields.take("before"), fields.take("keeping")) {
    case (let before?, nil): kept = .since(try before.date())
    case (nil, let keeping?): kept = .seconds(try keeping.count())
    default:
      throw Misfit(
        "either `before`, a date, or `keeping`, a number of seconds, is expected",
        at: path
      )
    }
  }

  func run(_ store: Store, _ signature: Signature) async throws -> JSON {
    let (author, message) = (signature.author, signature.message)
    let report =
      switch kept {
      case .since(let date):
        try await store.compact(before: date, author: author, message: message)
      case .seconds(let count):
        try await store.compact(keeping: .seconds(count), author: author, message: message)
      }
    return ["folded": .count(report.cellCount), "commit": report.commit?.json ?? .null]
  }
}
