#if Server
import Synchronization

/// The number of long streams that are open.
final class StreamCount: Sendable {
  fileprivate struct State {
    var count = 0
    var countsBySubject: [String: Int] = [:]
  }

  fileprivate let state = Mutex(State())

  /// The number of open streams.
  var count: Int { state.withLock { $0.count } }
}

/// A long stream that is open as long as this object lives.
final class StreamPermit: Sendable {
  private let streams: StreamCount
  private let subject: String?

  private init(_ streams: StreamCount, _ subject: String?) {
    self.streams = streams
    self.subject = subject
  }

  /// Counts a stream; nil if there are too many, or too many of a subject.
  static func take(
    from streams: StreamCount,
    atMost limit: Int,
    of subject: String? = nil,
    atMost subjectLimit: Int = .max
  ) -> StreamPermit? {
    let isPermitted = streams.state.withLock { state in
      guard state.count < limit else { return false }
      if let subject {
        let count = state.countsBySubject[subject, default: 0]
        guard count < subjectLimit else { return false }
        state.countsBySubject[subject] = count + 1
      }
      state.count += 1
      return true
    }
    return isPermitted ? StreamPermit(streams, subject) : nil
  }

  deinit {
    streams.state.withLock { state in
      state.count -= 1
      guard let subject, let count = state.countsBySubject[subject] else { return }
      state.countsBySubject[subject] = count > 1 ? count - 1 : nil
    }
  }
}
#endif
