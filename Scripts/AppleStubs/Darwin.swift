// Declarations of Darwin that Varve uses and Glibc lacks. They are type-checked against and never run. Each value is documented in the header that is named.
@_exported import Glibc
import Dispatch

/// <fcntl.h>: waits until the drive has stored what a file holds.
public var F_FULLFSYNC: Int32 { 51 }
/// <fcntl.h>: writing to a closed pipe raises no signal.
public var F_SETNOSIGPIPE: Int32 { 73 }

/// <fcntl.h>: opens a file for events alone.
public var O_EVTONLY: Int32 { 0x8000 }

/// developer.apple.com/documentation/dispatch/dispatchsourcefilesystemobject. It is sendable here in place of
/// `@preconcurrency import Dispatch`, which has no effect on a stub.
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol, Sendable {
  var handle: Int32 { get }
  var data: DispatchSource.FileSystemEvent { get }
  var mask: DispatchSource.FileSystemEvent { get }
}

/// developer.apple.com/documentation/dispatch/dispatchsource/makefilesystemobjectsource(filedescriptor:eventmask:queue:)
extension DispatchSource {
  public class func makeFileSystemObjectSource(
    fileDescriptor: Int32,
    eventMask: FileSystemEvent,
    queue: DispatchQueue? = nil
  ) -> any DispatchSourceFileSystemObject { fatalError() }
}

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
