#if CommandLine
import Foundation

/// The lines of earlier sessions, in a file that only its owner can read. A line that cannot be kept
/// is not an error.
struct ShellHistory {
  private let path: String
  private static let mostLines = 1_000

  /// The file is `varve/history` in `XDG_STATE_HOME`, which is `~/.local/state` by default.
  init() {
    let environment = ProcessInfo.processInfo.environment
    let state = environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    path = (state ?? "\(environment["HOME"] ?? ".")/.local/state") + "/varve/history"
  }

  /// The lines, the oldest first.
  var lines: [String] { all.suffix(Self.mostLines).map(String.init) }

  private var all: [Substring] {
    let text = try? String(contentsOfFile: path, encoding: .utf8)
    return text?.split(separator: "\n") ?? []
  }

  /// Adds a line. Those that begin with a space are not kept.
  func add(_ line: String) {
    guard !line.isEmpty, !line.hasPrefix(" ") else { return }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    try? Output.bytes(Array((line + "\n").utf8), to: file, at: path)
  }

  /// Drops the oldest lines if there are very many.
  func trim() {
    let all = all
    guard all.count > 2 * Self.mostLines else { return }
    let rest = all.suffix(Self.mostLines).joined(separator: "\n") + "\n"
    try? Data(rest.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    chmod(path, 0o600)
  }
}
#endif
