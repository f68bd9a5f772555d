#if CommandLine && Server
import Logging
import Synchronization

/// Passes each line of a log on.
struct LogLines: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace
  private let write: @Sendable (String) -> Void

  init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let pairs = (event.metadata ?? [:]).merging(metadata) { $1 }
    write("\(event.message) " + pairs.map { "\($0)=\($1)" }.sorted().joined(separator: " "))
  }
}

/// The lines of a log, as they are written.
final class LogBook: Sendable {
  private let kept = Mutex<[String]>([])

  /// The lines.
  var lines: [String] { kept.withLock { $0 } }

  /// A logger that writes into the book.
  var logger: Logger {
    let log = LogLines { line in self.kept.withLock { $0.append(line) } }
    return Logger(label: "test") { _ in log }
  }

  /// Waits until a line has a text. Returns it.
  func line(with text: String) async throws -> String {
    while true {
      if let line = lines.first(where: { $0.contains(text) }) { return line }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
#endif
