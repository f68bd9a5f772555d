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

/// <string.h>: overwrites bytes, which the optimiser does not leave out.
public func memset_s(_ address: UnsafeMutableRawPointer, _ size: Int, _ value: Int32, _ count: Int) -> Int32 { 0 }
