#if Server
/// How much a client may ask of a server in a minute; nil for no limit. The reply to a request
/// beyond a limit is 429 with `Retry-After`.
public struct ServerQuotas: Sendable, Hashable {
  /// The limits of a caller or of a space.
  public struct Quota: Sendable, Hashable {
    /// Requests a minute.
    public var requests: Int?
    /// Bytes of bodies a minute.
    public var bytes: Int?
    /// Commits handed over a minute.
    public var commits: Int?

    /// Creates a quota.
    public init(requests: Int? = nil, bytes: Int? = nil, commits: Int? = nil) {
      self.requests = requests
      self.bytes = bytes
      self.commits = commits
    }
  }

  /// What each subject may ask for.
  public var principal = Quota()
  /// What all together may ask of each space.
  public var space = Quota()

  /// Creates quotas without bounds.
  public init() {}
}
#endif
