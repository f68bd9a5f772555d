// What Varve uses of Darwin and Glibc lacks. Each value is documented in the header that is named.
@_exported import Glibc

/// <fcntl.h>: waits until the drive has stored what a file holds.
public var F_FULLFSYNC: Int32 { 51 }
/// <fcntl.h>: writing to a closed pipe raises no signal.
public var F_SETNOSIGPIPE: Int32 { 73 }

/// <sys/resource.h>: the limits are numbers.
public var RLIMIT_NOFILE: Int32 { 8 }

/// <sys/stat.h>: the time of the last change of the content.
extension stat {
  public var st_mtimespec: timespec { st_mtim }
}

/// <string.h>: overwrites bytes, and is not left out by the compiler.
@discardableResult
public func memset_s(
  _ start: UnsafeMutableRawPointer!,
  _ capacity: Int,
  _ byte: Int32,
  _ count: Int
) -> Int32 {
  memset(start, byte, min(capacity, count))
  return 0
}
