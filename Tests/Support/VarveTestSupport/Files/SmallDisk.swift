import VarveCore

/// A file system of a few kilobytes or megabytes, where one may be mounted.
public final class SmallDisk {
  private let scratch: Scratch

  /// The folder at which the file system is mounted.
  public var folder: String { scratch.path }

  /// Mounts it, or throws where nothing can be mounted.
  public init(kilobytes: Int) throws {
    scratch = try Scratch()
    let status = try Shell.run("mount -t tmpfs -o size=\(kilobytes)k none '\(scratch.path)'")
    guard status == 0 else { throw VarveError(.inputOutput, "nothing can be mounted") }
  }

  deinit { _ = try? Shell.run("umount '\(scratch.path)'") }

  /// Returns the path of a file on it.
  public func path(_ name: String) -> String { scratch.path(name) }

  /// Gives it another size.
  public func grow(kilobytes: Int) throws {
    _ = try Shell.run("mount -o remount,size=\(kilobytes)k '\(scratch.path)'")
  }
}
