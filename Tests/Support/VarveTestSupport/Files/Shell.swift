import Foundation

/// Lines of the shell that tests run.
public enum Shell {
  /// Runs a line and returns its status.
  public static func run(_ line: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "{ \(line); } 2>/dev/null"]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Whether this process may mount file systems.
  public static let mayMount: Bool = {
    guard let scratch = try? Scratch() else { return false }
    let line = "mount -t tmpfs none '\(scratch.path)' && umount '\(scratch.path)'"
    return (try? run(line)) == 0
  }()

  /// Whether this process may mount a folder through FUSE, by `bindfs`.
  public static let mayMountFUSE: Bool = {
    guard let scratch = try? Scratch() else { return false }
    let line = """
      cd '\(scratch.path)' && mkdir from to && bindfs from to && umount to
      """
    return (try? run(line)) == 0
  }()
}
