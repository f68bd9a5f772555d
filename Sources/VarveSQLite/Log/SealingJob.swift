import Dispatch
import Synchronization
import VarveCore

/// A block that is encoded, compressed and digested on the worker thread while rows are written.
final class SealingJob: Sendable {
  private static let worker = DispatchQueue(label: "varve.sealing", qos: .userInitiated)

  private let result = Mutex<Block?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ content: BlockContent) {
    Self.worker.async { [self] in
      let block = Block(sealing: content.payloads()[0])
      result.withLock { $0 = block }
      isDone.signal()
    }
  }

  /// Waits for the block. It blocks only for computation, a fraction of a millisecond per block.
  func wait() -> Block {
    isDone.wait()
    return result.withLock { block in
      guard let block else { preconditionFailure("a sealing job signals after its block is there") }
      return block
    }
  }
}
