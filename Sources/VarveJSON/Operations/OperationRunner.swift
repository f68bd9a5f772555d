import Foundation
import VarveCore
public import VarveStore

/// Runs operations on a store: one JSON object in, one JSON object out. See
/// `Documentation/Operations.md`.
///
/// ```swift
/// let runner = OperationRunner(store)
/// let answer = await runner.run(["op": "create", "type": "Hat", "set": ["color": "red"]])
/// print(answer.text)  // {"ok":true,"result":"0198…"}
/// ```
///
/// Every operation is atomic. After its answer, its changes survive the end of the process; see
/// `Store.flush()` for a power loss.
public struct OperationRunner: Sendable {
  /// The names of all operations.
  public static var operationNames: [String] { Vocabulary.names }

  private let store: Store
  private let author: String?
  private let message: String?
  private let registry: MappingRegistry
  private let importProgress: @Sendable (ImportProgress) throws -> Void
  /// Returns why an operation is refused; nil if it is not.
  private var refusal: @Sendable (_ name: String, OperationKind) -> String? = { _, _ in nil }
  /// Whether operations cannot name another author.
  private var isAuthorFixed = false
  /// What a caller can do whose operation is refused.
  private var refusalRemedy = "Ask an operator of the server for a token that permits it."

  /// Creates a runner for the operations of a caller with limited rights.
  ///
  /// - Parameters:
  ///   - author: the author of every operation.
  ///   - permitting: returns why an operation is refused, which is the error `forbidden`; nil if it
  ///     is not.
  ///   - remedy: what the caller can do then; nil for asking for a token.
  ///   - fixesAuthor: whether an operation that names another author is refused.
  package init(
    _ store: Store,
    author: String?,
    permitting refusal: @escaping @Sendable (_ name: String, OperationKind) -> String?,
    remedy: String? = nil,
    fixesAuthor: Bool
  ) {
    self.init(store, author: author)
    self.refusal = refusal
    refusalRemedy = remedy ?? refusalRemedy
    isAuthorFixed = fixesAuthor
  }

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - store: the store on which operations run.
  ///   - author: the author of operations that name none.
  ///   - message: the message of operations that have none.
  ///   - mappings: the mappings that `import` and `export` can use from the beginning.
  ///   - importProgress: called with the progress of an `import`. If it throws, the import ends.
  public init(
    _ store: Store,
    author: String? = nil,
    message: String? = nil,
    mappings: Mappings = Mappings(),
    importProgress: @escaping @Sendable (ImportProgress) throws -> Void = { _ in }
  ) {
    self.store = store
    self.author = author
    self.message = message
    registry = MappingRegistry(mappings)
    self.importProgress = importProgress
  }

  /// Runs an operation. Returns `{"ok": true, "result": …}`, or
  /// `{"ok": false, "error": {"code", "message", "at", "remedy"}}`.
  public func run(_ operation: JSON) async -> JSON {
    do {
      let envelope = try Envelope(Part(json: operation, path: []))
      return ["ok": true, "result": try await result(of: envelope)]
    } catch let misfit as Misfit {
      let place = misfit.path.text
      let failure = Failure(misfit.error)
      return (place.isEmpty ? failure : failure.within(place)).json
    } catch {
      return Failure(error).json
    }
  }

  /// Runs the operation on a line of text. An error includes the line and the column.
  ///
  /// - Parameters:
  ///   - bytes: the line, in UTF-8, without its end.
  ///   - line: its number, from 1.
  public func run(line bytes: [UInt8], number line: Int) async -> JSON {
    await run(line: bytes, number: line, under: OperationTerms()).answer
  }

  /// Runs the operation on a line of text under terms.
  package func run(
    line bytes: [UInt8],
    number line: Int,
    under terms: OperationTerms
  ) async -> OperationOutcome {
    let notes = OperationNotes()
    let answer = await run(line: bytes, number: line, under: terms, notes)
    return OperationOutcome(answer: answer, note: notes.note, cause: notes.cause)
  }

  private func run(
    line bytes: [UInt8],
    number line: Int,
    under terms: OperationTerms,
    _ notes: OperationNotes
  ) async -> JSON {
    do {
      // The envelope has everything, so the document need not be kept while the operation runs.
      let envelope = try Envelope(Part(json: try JSONReader.read(bytes: bytes), path: []))
      return ["ok": true, "result": try await result(of: envelope, under: terms, notes)]
    } catch let error as JSONReader.Failure {
      return Failure(VarveError(.invalidJSON, error.message))
        .within("\(error.position.text(from: line)) (byte \(error.position.byteOffset))")
        .json
    } catch let misfit as Misfit {
      let place = JSONReader.position(of: misfit.path, in: bytes).text(from: line)
      let failure = Failure(misfit.error)
      notes.cause = misfit.error.cause
      return (misfit.path.isEmpty ? failure : failure.within(misfit.path.text)).within(place).json
    } catch {
      notes.cause = (error as? VarveError)?.cause
      return Failure(error).within("line \(line)").json
    }
  }
}

extension OperationRunner {
  /// Throws if the operation, or one in it, is refused.
  private func permit(_ envelope: Envelope) throws {
    for (name, kind) in envelope.parts {
      if let reason = refusal(name, kind) { throw Self.forbidden(reason, remedy: refusalRemedy) }
    }
    // By bytes: two spellings that Unicode calls equivalent are two names.
    if isAuthorFixed, let named = envelope.author,
      author.map({ $0.utf8.elementsEqual(named.utf8) }) != true
    {
      throw Self.forbidden(
        "the author is \"\(author ?? "")\", and no other can be named",
        remedy: "Leave the author out."
      )
    }
  }

  private static func forbidden(_ reason: String, remedy: String) -> VarveError {
    VarveError(.forbidden, reason, remedy: remedy)
  }

  private func result(
    of envelope: Envelope,
    under terms: OperationTerms = OperationTerms(),
    _ notes: OperationNotes = OperationNotes()
  ) async throws -> JSON {
    try permit(envelope)
    try terms.permit(envelope.operation)
    let signature = Signature(
      author: envelope.author ?? author,
      message: envelope.message ?? message
    )
    let isForReply = envelope.parts.allSatisfy { $0.kind == .reading }
    return try await ReadBounds.reading(forReply: isForReply) {
      try await result(of: envelope, signature, under: terms, notes)
    }
  }

  private func result(
    of envelope: Envelope,
    _ signature: Signature,
    under terms: OperationTerms,
    _ notes: OperationNotes
  ) async throws -> JSON {
    switch envelope.operation {
    case .reading(let operation):
      guard let moment = try await envelope.moment?.moment(in: store), moment != .now else {
        return try await store.read { try await operation.read($0) }
      }
      return try await store.asOf(moment).read { try await operation.read($0) }
    case .writing(let operation):
      let name = type(of: operation).name
      do {
        return try await terms.write(
          to: store,
          as: ["erase", "purge"].contains(name) ? .erase : ChangeAction(rawValue: name),
          signature,
          at: envelope.time,
          notes,
          operation
        )
      } catch let dry as DryTransaction {
        return dry.result
      }
    case .whole(let operation):
      return try await operation.run(store, signature)
    case .mapping(let operation):
      let context = MappingContext(
        registry: registry,
        signature: signature,
        progress: importProgress
      )
      return try await operation.run(store, context)
    }
  }
}
