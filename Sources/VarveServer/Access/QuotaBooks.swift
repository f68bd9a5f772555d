#if Server
import Synchronization

/// What each subject and each space has used of its quotas.
///
/// Each quota is a token bucket that holds one minute's allowance. Amounts that are counted
/// afterwards may overdraw it; later requests are then refused until it has refilled.
final class QuotaBooks: Sendable {
  /// What is counted.
  enum Measure: Hashable, CaseIterable {
    case requests
    case bytes
    case commits
  }

  /// Whose quota it is.
  enum Owner: Hashable {
    case principal(String)
    case space(String)
  }

  private struct Account: Hashable {
    let owner: Owner
    let measure: Measure
  }

  private struct Level {
    var left: Double
    var time: ContinuousClock.Instant
  }

  private let quotas: ServerQuotas
  private let levels = Mutex<[Account: Level]>([:])

  /// The number of accounts beyond which those that are full again are dropped.
  private static let accountCount = 4_096

  init(_ quotas: ServerQuotas) { self.quotas = quotas }

  /// Counts a request.
  ///
  /// - Returns: nil if it is permitted, or the number of seconds to wait.
  func admit(_ owners: [Owner], at now: ContinuousClock.Instant = .now) -> Int? {
    levels.withLock { levels in
      Self.sweep(&levels, quotas, now)
      var wait = 0.0
      for owner in owners {
        for measure in Measure.allCases {
          guard let limit = limit(owner, measure) else { continue }
          let account = Account(owner: owner, measure: measure)
          let level = Self.level(levels[account], limit, now)
          levels[account] = level
          let need = measure == .requests ? 1.0 : 0.000_001
          if level.left < need { wait = max(wait, (need - level.left) * 60 / Double(limit)) }
        }
      }
      guard wait == 0 else { return max(1, Int(wait.rounded(.up))) }
      for owner in owners { levels[Account(owner: owner, measure: .requests)]?.left -= 1 }
      return nil
    }
  }

  /// Counts what a request turned out to cost.
  func charge(_ count: Int, of measure: Measure, to owners: [Owner]) {
    guard count > 0 else { return }
    levels.withLock { levels in
      for owner in owners where limit(owner, measure) != nil {
        levels[Account(owner: owner, measure: measure)]?.left -= Double(count)
      }
    }
  }

  private func limit(_ owner: Owner, _ measure: Measure) -> Int? {
    Self.limit(owner, measure, quotas)
  }

  private static func limit(_ owner: Owner, _ measure: Measure, _ quotas: ServerQuotas) -> Int? {
    let quota =
      switch owner {
      case .principal: quotas.principal
      case .space: quotas.space
      }
    let limit =
      switch measure {
      case .requests: quota.requests
      case .bytes: quota.bytes
      case .commits: quota.commits
      }
    return limit.map { max(1, $0) }
  }

  private static func level(
    _ level: Level?,
    _ limit: Int,
    _ now: ContinuousClock.Instant
  ) -> Level {
    guard let level else { return Level(left: Double(limit), time: now) }
    let minutes = (now - level.time) / .seconds(60)
    return Level(left: min(Double(limit), level.left + minutes * Double(limit)), time: now)
  }

  private static func sweep(
    _ levels: inout [Account: Level],
    _ quotas: ServerQuotas,
    _ now: ContinuousClock.Instant
  ) {
    guard levels.count > accountCount else { return }
    levels = levels.filter { account, level in
      guard let limit = limit(account.owner, account.measure, quotas) else { return false }
      return Self.level(level, limit, now).left < Double(limit)
    }
  }
}

/// Charges one request to the quotas that it uses.
final class RequestTally: Sendable {
  private let books: QuotaBooks
  private let owners: [QuotaBooks.Owner]

  init(_ books: QuotaBooks, _ owners: [QuotaBooks.Owner]) {
    self.books = books
    self.owners = owners
  }

  /// Counts the request itself.
  ///
  /// - Throws: a problem if a quota is used up.
  func admit() throws {
    if let seconds = books.admit(owners) { throw Problem.overQuota(seconds) }
  }

  /// Counts what it turned out to cost.
  func count(_ count: Int, of measure: QuotaBooks.Measure) {
    books.charge(count, of: measure, to: owners)
  }
}
#endif
