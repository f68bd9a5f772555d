// What Varve uses of Darwin and Glibc lacks. Each value is documented in the header that is named.
@_exported import Glibc

/// <fcntl.h>: waits until the drive has stored what a file holds.
public var F_FULLFSYNC: Int32 { 51 }
/// <fcntl.h>: writing to a closed pipe raises no signal.
public var F_SETNOSIGPIPE: Int32 { 73 }
