import CPostgres
import Synchronization

/// What a server sends beside results: warnings, and the reason why it ends a session.
final class NoticeLog: Sendable {
  private struct State {
    var warnings: [String] = []
    var hasEnd = false
  }

  private let state = Mutex(State())

  /// The warnings since the log was cleared.
  var warnings: [String] { state.withLock { $0.warnings } }

  /// Whether the server has ended the session.
  var hasEnd: Bool { state.withLock { $0.hasEnd } }

  func clear() { state.withLock { $0.warnings = [] } }

  func add(_ notice: OpaquePointer) {
    let severity = field(notice, "V") ?? ""
    let message = field(notice, "M") ?? ""
    state.withLock { state in
      if severity == "WARNING" { state.warnings.append(message) }
      if severity == "FATAL" || severity == "PANIC" { state.hasEnd = true }
    }
  }

  private func field(_ notice: OpaquePointer, _ code: Character) -> String? {
    let number = Int32(code.asciiValue ?? 0)
    return PQresultErrorField(notice, number).map { String(cString: $0) }
  }
}
