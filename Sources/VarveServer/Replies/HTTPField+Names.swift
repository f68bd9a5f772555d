#if Server
import HTTPTypes
import VarveSync

extension HTTPField.Name {
  /// The place of a space that a reply is of.
  static let varvePosition = HTTPField.Name(known: "Varve-Position")
  /// Names the result of an operation, so that one which the client has is not sent again.
  static let varveResult = HTTPField.Name(known: "Varve-Result")
  /// The caller's role in the space that was compared with.
  static let varveRole = HTTPField.Name(known: SyncMediaType.roleHeader)
  /// The id of the space that a request is for.
  static let varveSpace = HTTPField.Name(known: SyncMediaType.spaceHeader)
  /// Whether a request comes from a store of a sealed space.
  static let varveSealed = HTTPField.Name(known: SyncMediaType.sealedHeader)
  /// What a browser says of a page when it leaves it.
  static let referrerPolicy = HTTPField.Name(known: "Referrer-Policy")
  /// What a page may load.
  static let contentSecurityPolicy = HTTPField.Name(known: "Content-Security-Policy")
  /// Which windows share a page's process.
  static let openerPolicy = HTTPField.Name(known: "Cross-Origin-Opener-Policy")
  /// Which sites may load a file.
  static let resourcePolicy = HTTPField.Name(known: "Cross-Origin-Resource-Policy")
  /// The last event that a client received of a stream.
  static let lastEventID = HTTPField.Name(known: "Last-Event-ID")
  /// Asks proxies to pass on what arrives at once.
  static let buffering = HTTPField.Name(known: "X-Accel-Buffering")

  /// The name of a request in the server's log.
  static let requestID = HTTPField.Name(known: "X-Request-Id")
  /// Names a request that takes effect once however often it is sent.
  static let idempotencyKey = HTTPField.Name(known: "Idempotency-Key")
  /// Says that a request was carried out before, and this is the result of then.
  static let idempotencyReplayed = HTTPField.Name(known: "Idempotency-Replayed")

  private init(known text: String) {
    guard let name = HTTPField.Name(text) else {
      preconditionFailure("\(text) has only letters and hyphens")
    }
    self = name
  }
}
#endif
