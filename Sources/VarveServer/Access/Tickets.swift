#if Server
import Foundation
import VarveCore

/// What lets a browser enter where it cannot send a header: a ticket is used once, soon after it
/// was made, in place of a token. A token itself never stands in an address.
///
/// Tickets are in memory: they end with the process.
actor Tickets {
  /// What a ticket stands for.
  enum Bearer: Sendable, Hashable {
    /// The caller with this header. The header is checked again when the ticket is used.
    case header(String)
    /// A caller who needs no header.
    case anyone
  }

  private struct Entry {
    let bearer: Bearer
    /// Who made it; nil if the server does not ask who calls.
    let account: String?
    let expiry: Date
  }

  /// The number of seconds for which a ticket can be used.
  static let lifetime = 30
  /// The most tickets that wait at a time.
  static let capacity = 10_000
  /// The most of them that one subject made.
  static let accountCapacity = 100

  private let now: @Sendable () -> Date
  private var entries: [ContentDigest: Entry] = [:]

  init(now: @escaping @Sendable () -> Date = { Date() }) { self.now = now }

  /// Makes a ticket.
  ///
  /// - Throws: `busy` if too many wait, or too many of the subject.
  func make(
    for bearer: Bearer,
    by account: String? = nil,
    seconds: Int = Tickets.lifetime
  ) throws -> String {
    let time = now()
    if entries.count >= Self.accountCapacity { entries = entries.filter { $0.value.expiry > time } }
    let isTooMany =
      account != nil && entries.count >= Self.accountCapacity
      && entries.count { $0.value.account == account } >= Self.accountCapacity
    guard entries.count < Self.capacity, !isTooMany else {
      throw VarveError(.busy, "too many tickets wait to be used", remedy: "Try again in a minute.")
    }
    let text = Self.secret()
    entries[Self.digest(text)] = Entry(
      bearer: bearer,
      account: account,
      expiry: time + Double(seconds)
    )
    return text
  }

  /// Returns what a ticket stands for, without using it; nil if it is unknown, used or too old.
  func bearer(_ text: String) -> Bearer? {
    guard let entry = entries[Self.digest(text)], entry.expiry > now() else { return nil }
    return entry.bearer
  }

  /// Uses a ticket. Returns what it stands for; nil if it is unknown, used or too old.
  func use(_ text: String) -> Bearer? {
    guard let entry = entries.removeValue(forKey: Self.digest(text)), entry.expiry > now() else {
      return nil
    }
    return entry.bearer
  }

  /// Returns a text that cannot be guessed, of hexadecimal digits.
  static func secret() -> String {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    return ContentDigest.sha256(bytes).hexadecimal
  }

  private static func digest(_ text: String) -> ContentDigest { .sha256(Array(text.utf8)) }
}
#endif
