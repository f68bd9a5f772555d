#if Server
import HTTPTypes
import HummingbirdCore
import VarveCore
import VarveJSON
import VarveStore
import VarveSync

/// The headers under which an operation runs: `Idempotency-Key` and `If-Match`.
extension Call {
  private static let keyByteCount = 255

  /// Returns the terms that the headers state.
  ///
  /// - Parameter body: the bytes of the request, to which a key belongs.
  func terms(of body: [UInt8], in space: Space) throws -> OperationTerms {
    OperationTerms(key: try key(of: body), basis: try basis(in: space))
  }

  /// Throws if the headers state terms: lines are requests of their own.
  func requireNoTerms() throws {
    guard request.headers[.idempotencyKey] == nil, request.headers[.ifMatch] == nil else {
      throw VarveError(
        .invalidArgument,
        "Idempotency-Key and If-Match cannot be used with JSON Lines",
        at: "headers",
        remedy: "Send one operation as application/json; `transaction` holds several."
      )
    }
  }

  private func key(of body: [UInt8]) throws -> RequestKey? {
    guard var text = request.headers[.idempotencyKey]?.trimmed else { return nil }
    if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
      text = String(text.dropFirst().dropLast())
    }
    guard !text.isEmpty, text.utf8.count <= Self.keyByteCount else {
      throw VarveError(
        .invalidArgument,
        "an Idempotency-Key has between 1 and \(Self.keyByteCount) bytes",
        at: "header Idempotency-Key",
        remedy: "Use a fresh UUID for each request."
      )
    }
    return try RequestKey(text, by: principal.account, of: body)
  }

  /// The state named by `If-Match`: an ETag of a read, a `Varve-Position`, or a frontier.
  private func basis(in space: Space) throws -> DecisionBasis? {
    guard var text = request.headers[.ifMatch]?.trimmed, text != "*" else { return nil }
    if text.hasPrefix("W/") { text = String(text.dropFirst(2)) }
    if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
      text = String(text.dropFirst().dropLast())
    }
    if let position = SpacePosition(text) ?? SpacePosition(tag: text) {
      // A position of another space was never one of this: its hash is found nowhere.
      guard position.space == space.id else { return .position(.never) }
      return .position(position.position)
    }
    if case .frontier(let frontier)? = Self.moment(text) { return .frontier(frontier) }
    throw VarveError(
      .invalidArgument,
      "a state is expected",
      at: "header If-Match",
      remedy: "Write the ETag of a read, a Varve-Position, or a frontier."
    )
  }
}

extension SpacePosition {
  /// Parses the position in a tag of a space, which is followed by counts of withheld and refused
  /// commits.
  fileprivate init?(tag: String) {
    let parts = tag.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > Self.partCount else { return nil }
    self.init(parts.prefix(Self.partCount).joined(separator: "."))
  }
}

extension HomePosition {
  /// A position that no space has.
  fileprivate static var never: HomePosition {
    HomePosition(incarnation: 0, number: .max, running: 0)
  }
}

extension OperationOutcome.Note {
  /// The status of a refusal because of the terms.
  var status: HTTPResponse.Status? {
    switch self {
    case .stale, .unknownBasis: .preconditionFailed
    case .keyTaken: .unprocessableContent
    case .repeated, .repeatedWithoutResult: nil
    }
  }
}
#endif
