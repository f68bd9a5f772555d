import Foundation
import VarveCore
public import VarveStore

/// Runs operations on a store: one JSON object in, one answer out. See `Documentation/Operations.md`.
///
/// ```swift
/// let runner = OperationRunner(store)
/// let answer = await runner.answer(["op": "create", "type": "Hat", "set": ["color": "red"]])
/// print(answer.text)  // {"ok":true,"result":"0198…"}
/// ```
///
/// Every operation is atomic, and survives the end of the process when its answer is there; see
/// `Store.synchronize()` for a loss of power.
public struct OperationRunner: Sendable {
  /// The operations there are.
  public static var operationNames: [String] { Vocabulary.names }

  private let store: Store
  private let author: String
  private let message: String
  private let registry: MappingRegistry
  private let importProgress: @Sendable (ImportProgress) throws -> Void

  /// - Parameters:
  ///   - store: where operations run.
  ///   - author: who writes, for operations that name nobody.
  ///   - message: why, for operations that do not say.
  ///   - mappings: those that `import` and `export` know from the beginning.
  ///   - importProgress: told how far an `import` is. What it throws ends the import.
  public init(
    _ store: Store,
    author: String = "",
    message: String = "",
    mappings: Mappings = Mappings(),
    importProgress: @escaping @Sendable (ImportProgress) throws -> Void = { _ in }
  ) {
    self.store = store
    self.author = author
    self.message = message
    registry = MappingRegistry(mappings)
    self.importProgress = importProgress
  }

  /// Runs an operation: `{"ok": true, "result": …}`, or
  /// `{"ok": false, "error": {"code", "message", "at", "remedy"}}`.
  public func answer(_ operation: JSON) async -> JSON {
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

  /// Runs the operation on a line of text. An error says line and column.
  ///
  /// - Parameters:
  ///   - bytes: the line, in UTF-8, without its end.
  ///   - line: its number, from 1.
  public func answer(line bytes: [UInt8], number line: Int) async -> JSON {
    do {
      // What the operation says is in the envelope: the document need not be kept while it runs.
      let envelope = try Envelope(Part(json: try JSONReader.read(bytes: bytes), path: []))
      return ["ok": true, "result": try await result(of: envelope)]
    } catch let error as JSONReader.Failure {
      return Failure(VarveError(.invalidJSON, error.message))
        .within("line \(line), column \(error.position.column) (byte \(error.position.byteOffset))")
        .json
    } catch let misfit as Misfit {
      let position = JSONReader.position(of: misfit.path, in: bytes)
      let place = "line \(line), column \(position.column)"
      let failure = Failure(misfit.error)
      return (misfit.path.isEmpty ? failure : failure.within(misfit.path.text)).within(place).json
    } catch {
      return Failure(error).within("line \(line)").json
    }
  }
}

extension OperationRunner {
  private func result(of envelope: Envelope) async throws -> JSON {
    let signature = Signature(
      author: envelope.author ?? author,
      message: envelope.message ?? message
    )
    switch envelope.operation {
    case .reading(let operation):
      guard let moment = try await envelope.moment?.moment(in: store), moment != .now else {
        return try await store.read { try await operation.read($0) }
      }
      return try await store.asOf(moment: moment).read { try await operation.read($0) }
    case .writing(let operation):
      let name = type(of: operation).name
      return try await store.write(
        as: ["erase", "purge"].contains(name) ? .delete : ChangeAction(rawValue: name),
        author: signature.author,
        message: signature.message,
        at: envelope.time
      ) { try await operation.write($0, at: envelope.time) }
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
