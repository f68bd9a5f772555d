#if Server
/// How often and how long deliveries of webhooks are tried.
public struct WebhookPolicy: Sendable, Hashable {
  /// The number of attempts after which an event is given up.
  public var attemptCount = 12
  /// The longest pause after the first attempt. It doubles with each.
  public var firstPause = Duration.seconds(1)
  /// The longest pause between two attempts.
  public var longestPause = Duration.seconds(600)
  /// The time in which a receiver must accept an event.
  public var timeout = Duration.seconds(10)
  /// The most events that were given up and are kept.
  public var deadLetterCount = 1_000
  /// The time between two looks for changed webhooks and new spaces.
  public var interval = Duration.seconds(2)

  /// Creates the default policy.
  public init() {}

  /// Returns the pause after a number of failed attempts: a random part of what grows with them, so
  /// that receivers that return are not called by all at once.
  func pause(after failureCount: Int) -> Duration {
    let most = min(longestPause, firstPause * (1 << min(failureCount - 1, 20)))
    return most * Double.random(in: 0.5...1)
  }
}
#endif
