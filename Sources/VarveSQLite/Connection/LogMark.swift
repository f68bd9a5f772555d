import CVarveSQLite

/// The state of the index of the write-ahead log. Every commit of any connection changes it.
struct LogMark: Equatable, Sendable {
  private var words: SIMD8<UInt64> = .zero

  /// Reads the mark of a connection; nil if it has not opened the log yet.
  init?(_ connection: Connection) {
    let isKnown = withUnsafeMutableBytes(of: &words) { words in
      varve_log_mark(
        UnsafeMutableRawPointer(connection.handle),
        words.assumingMemoryBound(to: UInt64.self).baseAddress
      ) != 0
    }
    guard isKnown else { return nil }
  }
}

extension Connection {
  /// The state of the log. It is read without a lock, so it may be that of a commit in progress; no
  /// other state has the same mark.
  var logMark: LogMark? { LogMark(self) }
}
