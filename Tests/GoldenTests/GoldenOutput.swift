import Foundation
import Synchronization

/// Bytes that are gathered.
final class GoldenOutput: Sendable {
  private let bytes = Mutex(Data())

  func add(_ part: [UInt8]) { bytes.withLock { $0.append(contentsOf: part) } }

  var data: Data { bytes.withLock { $0 } }
}
