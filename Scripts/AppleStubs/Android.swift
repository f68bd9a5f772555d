// Stands for the C library of Android, whose declarations that Varve uses are those of Glibc.
@_exported import Glibc

/// <sys/resource.h>: the limits are numbers.
public var RLIMIT_NOFILE: Int32 { 7 }
