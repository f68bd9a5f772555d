import HTTPTypes

extension HTTPField.Name {
  /// The place of a space that a reply is of.
  static let varvePosition = HTTPField.Name(known: "Varve-Position")
  /// What a browser says of a page when it leaves it.
  static let referrerPolicy = HTTPField.Name(known: "Referrer-Policy")
  /// The last event that a client received of a stream.
  static let lastEventID = HTTPField.Name(known: "Last-Event-ID")
  /// Asks proxies to pass on what arrives at once.
  static let buffering = HTTPField.Name(known: "X-Accel-Buffering")

  private init(known text: String) {
    guard let name = HTTPField.Name(text) else {
      preconditionFailure("\(text) has only letters and hyphens")
    }
    self = name
  }
}
