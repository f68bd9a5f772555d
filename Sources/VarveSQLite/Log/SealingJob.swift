import Dispatch
import Synchronization
import VarveCore

/// A block that is encoded, compressed and digested on the worker thread while rows are written.
final class SealingJob: Sendable {
  private static let worker = DispatchQueue(label: "varve.sealing", qos: .userInitiated)

  private let result = Mutex<Result<Block, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ content: BlockContent, _ seal: (any CommitSeal)?, index: Int) {
    Self.worker.async { [self] in
      let block = Result { try Block(sealing: content.payloads()[0], with: seal, index: index) }
      result.withLock { $0 = block }
      isDone.signal()
    }
  }

  /// Waits for the block. It blocks only for computation, a fraction of a millisecond per block.
  ///
  /// - Throws: ``VarveError`` with code `valueTooLarge` if the block cannot be sealed.
  func wait() throws -> Block {
    isDone.wait()
    let block = result.withLock { block in
      guard let block else { preconditionFailure("a sealing job signals after its block is there") }
      return block
    }
    return try block.get()
  }
}
