import Foundation
import VarveCore
import VarveStore

/// `transaction`: runs several operations as one commit, or none of them; returns their results.
struct TransactionOperation: WritingOperation {
  static let name = "transaction"

  private enum Inner: Sendable {
    case reading(any ReadingOperation)
    case writing(any WritingOperation, at: Date?)
  }

  private let operations: [Inner]
  private let paths: [[JSONStep]]

  init(_ fields: inout Fields) throws {
    let elements = try fields.need("operations").elements()
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

  /// The names of the operations that write.
  var innerWrites: [String] {
    operations.compactMap { operation in
      if case .writing(let operation, _) = operation { type(of: operation).name } else { nil }
    }
  }

  func write(_ transaction: WriteTransaction, at time: Date?) async throws -> JSON {
    var results: [JSON] = []
    for (operation, path) in zip(operations, paths) {
      do {
        switch operation {
        case .reading(let operation):
          results.append(try await operation.read(transaction))
        case .writing(let operation, let own):
          results.append(try await operation.write(transaction, at: own ?? time))
        }
      } catch let error as VarveError {
        throw Misfit(error, at: path)
      }
    }
    return .array(results)
  }
}
