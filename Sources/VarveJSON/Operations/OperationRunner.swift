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
    do {
      // The envelope has everything, so the document need not be kept while the operation runs.
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
      return try await store.asOf(moment).read { try await operation.read($0) }
    case .writing(let operation):
      let name = type(of: operation).name
      return try await store.write(
        as: ["erase", "purge"].contains(name) ? .erase : ChangeAction(rawValue: name),
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
