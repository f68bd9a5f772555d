#if Client || canImport(Darwin)
import VarveCore

/// Why a request has no reply.
enum TransportFailure: Error, Hashable, CaseIterable {
  case badAddress
  case unknownHost
  case refused
  case unreachable
  case timeout
  case untrusted
  case notHTTP
  case closedEarly
  case tooLarge
  /// Anything else.
  case broken

  /// Returns the error of a request to an address.
  func error(at url: String) -> VarveError {
    let (message, remedy) = text
    return VarveError(.inputOutput, message, at: url, remedy: remedy)
  }

  private var text: (message: String, remedy: String) {
    switch self {
    case .badAddress:
      (
        "the address is none of a server",
        "Write it as http://HOST:PORT or https://HOST:PORT, with the path of the space."
      )
    case .unknownHost:
      ("the host of the address is not known", "Check its spelling and the network.")
    case .refused:
      (
        "nothing listens at the host and the port of the address",
        "Start the server, or check the port."
      )
    case .unreachable:
      ("the host of the address cannot be reached", "Check the network, and try again.")
    case .timeout:
      (
        "the server did not reply in time",
        "Check the address and the network, and try again."
      )
    case .untrusted:
      (
        "the server has no certificate that this computer trusts for the host, or does not "
          + "encrypt",
        "Check the address, and let this computer trust the certificate of your own authority."
      )
    case .notHTTP:
      (
        "what listens at the address does not speak HTTP",
        "Check the port, and whether the address begins with https."
      )
    case .closedEarly:
      (
        "the connection closed before the reply was complete",
        "Try again; the log of the server may have the reason."
      )
    case .tooLarge:
      (
        "the reply is larger than any of a server of Varve",
        "Check that the address is one of varve serve."
      )
    case .broken: ("the connection failed", "Check the address and the network, and try again.")
    }
  }
}
#endif
