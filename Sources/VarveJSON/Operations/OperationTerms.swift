import Foundation
package import VarveCore
package import VarveStore

/// The name of a request that may be sent more than once and must take effect once.
package struct RequestKey: Sendable, Hashable {
  /// The entity that says that the request was carried out, and with which result.
  package let mark: EntityID
  /// A digest of the key and the request.
  package let digest: String

  /// Creates a key.
  ///
  /// - Parameters:
  ///   - text: the key, as the client chose it.
  ///   - subject: the client; two clients may choose one key.
  ///   - request: the bytes of the request.
  package init(_ text: String, by subject: String?, of request: [UInt8]) throws {
    let name = Array("\(subject ?? "")\u{0}\(text)".utf8)
    mark = try EntityID(
      "\(RequestRecord.prefix)\(ContentDigest.sha256(name).hexadecimal.prefix(32))"
    )
    // With the key, which is kept nowhere, a short value in the request cannot be guessed.
    digest = ContentDigest.sha256(name + [0] + request).hexadecimal
  }
}

/// The terms of an operation's caller: that it takes effect once, and only if nothing that it
/// changes was changed after the state that the caller read.
package struct OperationTerms: Sendable {
  /// The name of the request; nil if it may run again.
  package var key: RequestKey?
  /// The state that was looked at; nil for any.
  package var basis: DecisionBasis?

  /// Creates terms.
  package init(key: RequestKey? = nil, basis: DecisionBasis? = nil) {
    self.key = key
    self.basis = basis
  }
}

/// The result of an operation under terms.
package struct OperationOutcome: Sendable {
  /// Why the terms decided the result.
  package enum Note: Sendable {
    /// The request was carried out before, and this is the result that it had.
    case repeated
    /// The request had been carried out before; its result was too large to be kept.
    case repeatedWithoutResult
    /// The key belongs to another request.
    case keyTaken
    /// What the operation changes was changed since.
    case stale
    /// The state was never one of this store.
    case unknownBasis
  }

  /// What `OperationRunner.run` returns.
  package let answer: JSON
  /// Why, if it is because of the terms.
  package let note: Note?
  /// The cause of an error, which is for logs and not for callers: see `VarveError.cause`.
  package let cause: String?
}

/// Where a running operation notes what its terms have decided, and the cause of its error.
final class OperationNotes {
  var note: OperationOutcome.Note?
  var cause: String?
}

extension OperationTerms {
  /// Throws if the operation cannot be held to the terms.
  func permit(_ operation: Operation) throws {
    guard key != nil || basis != nil else { return }
    if case .writing = operation { return }
    if case .reading = operation { return }
    throw VarveError(
      .invalidArgument,
      "this operation is not a single transaction, so it takes no Idempotency-Key or If-Match",
      remedy: "Leave out the headers Idempotency-Key and If-Match."
    )
  }

  /// Writes one commit under the terms.
  func write(
    to store: Store,
    as action: ChangeAction,
    _ signature: Signature,
    at time: Date?,
    _ notes: OperationNotes,
    _ operation: any WritingOperation
  ) async throws -> JSON {
    let caller = LogCaller.current
    return try await LogCaller.$current.withValue(key.map { caller.recording($0.mark) } ?? caller) {
      try await writeAsCaller(to: store, as: action, signature, at: time, notes, operation)
    }
  }

  private func writeAsCaller(
    to store: Store,
    as action: ChangeAction,
    _ signature: Signature,
    at time: Date?,
    _ notes: OperationNotes,
    _ operation: any WritingOperation
  ) async throws -> JSON {
    do {
      guard let basis else {
        return try await store.write(
          as: action,
          author: signature.author,
          message: signature.message,
          at: time,
          sharesTurn: true
        ) { try await once($0, notes, operation, at: time) }
      }
      return try await store.write(
        decidedOn: basis,
        as: action,
        author: signature.author,
        message: signature.message,
        at: time
      ) { try await once($0, notes, operation, at: time) }
    } catch let stale as StaleDecision {
      notes.note = .stale
      let what = stale.key.map { "\"\($0.text)\" of \(stale.entity)" } ?? "\(stale.entity)"
      throw VarveError(
        .changedMeanwhile,
        "\(what) was changed since the state named by If-Match",
        at: "entity \(stale.entity)" + (stale.key.map { ", property \($0)" } ?? ""),
        remedy: "Read again, decide again, and name the new state."
      )
    } catch is UnknownBasis {
      notes.note = .unknownBasis
      throw VarveError(
        .changedMeanwhile,
        "the space never had the state named by If-Match",
        remedy: "Read again, decide again, and name the new state."
      )
    }
  }

  /// The most bytes of a result that is kept.
  private static let resultByteCount = 1 << 16

  /// Runs a write unless the request was carried out before; then returns the result of then.
  private func once(
    _ transaction: WriteTransaction,
    _ notes: OperationNotes,
    _ operation: any WritingOperation,
    at time: Date?
  ) async throws -> JSON {
    guard let key else { return try await operation.write(transaction, at: time) }
    guard try await transaction.status(of: key.mark) == .unknown else {
      let mark = try await transaction.entity(key.mark)
      // A record that does not name this request, or none any more, has no result for it.
      guard case .string(let digest)? = mark?["request"], digest == key.digest else {
        notes.note = .keyTaken
        throw VarveError(
          .invalidArgument,
          "the Idempotency-Key belongs to another request",
          remedy: "Choose a new key for each request."
        )
      }
      guard case .string(let text)? = mark?["result"] else {
        notes.note = .repeatedWithoutResult
        return .null
      }
      notes.note = .repeated
      return await operation.repeated(try JSONReader.read(text), in: transaction)
    }
    let result = try await operation.write(transaction, at: time)
    let text = operation.kept(result).text
    var properties: [PropertyKey: Value] = ["request": .string(key.digest)]
    if text.utf8.count <= Self.resultByteCount { properties["result"] = .string(text) }
    try await transaction.create(RequestRecord.entityType, id: key.mark, properties)
    return result
  }
}
