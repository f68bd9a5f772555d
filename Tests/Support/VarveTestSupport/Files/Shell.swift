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

  /// Mounts a folder at another one through FUSE, by `bindfs`. Returns whether it is possible.
  ///
  /// Python closes all descriptors for the server of the file system, which runs on: `Process` takes a
  /// child for running as long as anyone has its descriptors.
  public static func mountInUserSpace(_ folder: String, at target: String) -> Bool {
    let line = """
      mkdir -p '\(folder)' '\(target)' && python3 -c 'import subprocess, sys; \
      sys.exit(subprocess.run(["bindfs", *sys.argv[1:]]).returncode)' '\(folder)' '\(target)'
      """
    return (try? run(line)) == 0
  }

  /// Whether this process may mount a folder through FUSE.
  public static let mayMountInUserSpace: Bool = {
    guard let scratch = try? Scratch() else { return false }
    guard mountInUserSpace(scratch.path("from"), at: scratch.path("to")) else { return false }
    return (try? run("umount '\(scratch.path("to"))'")) == 0
  }()
}
