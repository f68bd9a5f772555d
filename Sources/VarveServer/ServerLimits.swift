#if Server
/// The bounds of everything that a client can send to a server. `GET /v1` lists them.
public struct ServerLimits: Sendable, Hashable {
  /// The maximum size of a request's body in bytes, except those of commits and of JSON Lines.
  public var bodyByteCount = 16 << 20
  /// The maximum size of a line of JSON Lines, in bytes.
  public var lineByteCount = 16 << 20
  /// The maximum size of all headers together, and of each, in bytes.
  public var headerByteCount = 32 << 10
  /// The maximum size of a request's path and query, in bytes.
  public var targetByteCount = 16 << 10
  /// The maximum size of the commits of one request, in bytes.
  public var commitsByteCount = 1 << 30
  /// The maximum number of entries in a page.
  public var pageCount = 1_000
  /// The number of seconds without progress after which a connection is closed.
  public var idleSeconds = 60
  /// The number of seconds after which an operation or a read is ended.
  public var requestSeconds = 30
  /// The number of seconds that requests under way have to complete once the server is to stop.
  public var graceSeconds = 30
  /// The most requests of one subject that run at a time; four times as many wait for their turn.
  /// All together have 64 threads. Callers of an open server have no such limit.
  public var principalRequestCount = 16
  /// The maximum size of what an operation or a request reads, and of each value that own SQL
  /// computes, in bytes.
  public var resultByteCount = 16 << 20
  /// The memory that a statement of own SQL may need, in bytes.
  public var queryMemoryByteCount = 256 << 20
  /// The maximum number of spaces that are open at a time, unless more are in use.
  public var openSpaceCount = 64
  /// The maximum number of streams of announcements that are open at a time.
  public var streamCount = 10_000
  /// The most of them that are open at a time for one subject.
  public var principalStreamCount = 100
  /// The most connections that are open at a time.
  public var connectionCount = 12_000
  /// The number of seconds between two keep-alive comments of a stream.
  public var heartbeatSeconds = 20

  /// The most commits after which a stream of changes continues where a client left it; beyond them
  /// it begins anew.
  public var resumedCommitCount = 10_000
  /// The most entities of an event of a stream of changes; beyond them it is a `reset`.
  public var eventEntityCount = 10_000

  /// Creates the default limits.
  public init() {}
}
#endif
