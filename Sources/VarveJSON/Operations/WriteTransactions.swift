import Foundation
import VarveCore
import VarveStore

/// `transaction`: runs several operations as one commit, or none of them; returns their results.
/// With `dryRun`, nothing is written.
struct TransactionOperation: WritingOperation {
  static let name = "transaction"
  private let operations: InnerOperations
  private let isDryRun: Bool

  init(_ fields: inout Fields) throws {
    operations = try InnerOperations(fields.need("operations"))
    isDryRun = try fields.flag("dryRun")
  }

  var names: [String] { [Self.name] + operations.names }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let results = JSON.array(try await operations.run(in: transaction, at: time))
    if isDryRun { throw DryTransaction(result: results) }
    return results
  }

  func kept(_ result: JSON) -> JSON { operations.kept(result) }

  func repeated(_ kept: JSON, in state: any Reading) async -> JSON {
    await operations.repeated(kept, in: state)
  }
}

/// The error that rolls a dry run back, with the result that the operation would have.
struct DryTransaction: Error {
  let result: JSON
}

/// `attempt`: runs several operations, or undoes them if one fails; the transaction goes on.
/// Returns their results or the error.
struct AttemptOperation: WritingOperation {
  static let name = "attempt"
  private let operations: InnerOperations

  init(_ fields: inout Fields) throws {
    operations = try InnerOperations(fields.need("operations"))
  }

  var names: [String] { [Self.name] + operations.names }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    do {
      let results = try await transaction.attempt {
        try await operations.run(in: transaction, at: time)
      }
      return ["ok": true, "result": .array(results)]
    } catch let misfit as Misfit {
      return Failure(misfit.error).within(misfit.path.text).json
    } catch let error as VarveError {
      return Failure(error).json
    }
  }

  func kept(_ result: JSON) -> JSON {
    if let results = result["result"] {
      return ["ok": true, "result": operations.kept(results)]
    }
    // The message may name a value.
    return ["ok": false, "error": ["code": result["error"]?["code"] ?? .null]]
  }

  func repeated(_ kept: JSON, in state: any Reading) async -> JSON {
    guard let results = kept["result"] else { return kept }
    return ["ok": true, "result": await operations.repeated(results, in: state)]
  }
}

/// `once`: runs several operations unless a write of that name has run in the store or one of its
/// replicas. Returns their results, or null.
struct OnceOperation: WritingOperation {
  static let name = "once"
  private let name: String
  private let operations: InnerOperations

  init(_ fields: inout Fields) throws {
    name = try fields.need("name").name()
    operations = try InnerOperations(fields.need("operations"))
  }

  var names: [String] { [Self.name] + operations.names }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    let results = try await transaction.once(name) { transaction in
      try await operations.run(in: transaction, at: time)
    }
    return results.map(JSON.array) ?? .null
  }

  func kept(_ result: JSON) -> JSON { operations.kept(result) }

  func repeated(_ kept: JSON, in state: any Reading) async -> JSON {
    await operations.repeated(kept, in: state)
  }
}

/// The operations of a transaction or an attempt.
private struct InnerOperations {
  private enum Inner: Sendable {
    case reading(any ReadingOperation)
    case writing(any WritingOperation, at: Date?)
  }

  private let operations: [Inner]
  private let paths: [[JSONStep]]

  init(_ field: Part) throws {
    let elements = try field.elements()
    operations = try elements.map { element in
      let envelope = try Envelope(element, isInner: true)
      switch envelope.operation {
      case .reading(let operation): return .reading(operation)
      case .writing(let operation) where !(operation is TransactionOperation):
        return .writing(operation, at: envelope.time)
      case .writing, .whole, .mapping:
        throw Misfit("this operation cannot be part of a transaction", at: element.path)
      }
    }
    paths = elements.map(\.path)
  }

  /// The names of the operations that write, and of those in them.
  var names: [String] {
    operations.flatMap { operation -> [String] in
      if case .writing(let operation, _) = operation { operation.names } else { [] }
    }
  }

  /// Returns the results without those of the operations that read; anything but an array stays.
  func kept(_ results: JSON) -> JSON {
    guard case .array(let results) = results else { return results }
    return .array(
      zip(operations, results).map { operation, result in
        switch operation {
        case .reading: .null
        case .writing(let operation, _): operation.kept(result)
        }
      }
    )
  }

  /// Returns what was kept, with what the operations that read return now; null for one that fails.
  func repeated(_ kept: JSON, in state: any Reading) async -> JSON {
    guard case .array(let results) = kept else { return kept }
    var repeated: [JSON] = []
    var size = ReplySize()
    for (operation, result) in zip(operations, results) {
      switch operation {
      case .reading(let operation):
        let result = try? await ReadBounds.reading(forReply: true) {
          let result = try await operation.read(state)
          try size.add(result)
          return result
        }
        repeated.append(result ?? .null)
      case .writing(let operation, _):
        repeated.append(await operation.repeated(result, in: state))
      }
    }
    return .array(repeated)
  }

  /// Returns the results, up to the first error.
  func run(in transaction: WriteTransaction, at time: Date?) async throws -> [JSON] {
    var results: [JSON] = []
    var size = ReplySize()
    for (operation, path) in zip(operations, paths) {
      do {
        switch operation {
        case .reading(let operation):
          let result = try await ReadBounds.reading(forReply: true) {
            let result = try await operation.read(transaction)
            try size.add(result)
            return result
          }
          results.append(result)
        case .writing(let operation, let own):
          results.append(try await operation.write(transaction, at: own ?? time))
        }
      } catch let error as VarveError {
        throw Misfit(error, at: path)
      }
    }
    return results
  }
}
