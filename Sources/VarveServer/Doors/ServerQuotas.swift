/// How much a client may ask of a server in a minute; nil for as much as it likes. Whoever asks for
/// more waits: the reply is 429 with `Retry-After`.
public struct ServerQuotas: Sendable, Hashable {
  /// What is counted of whoever calls, or of a space.
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
