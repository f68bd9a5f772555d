#if Server
import Crypto
import Foundation
import VarveCore
import VarveJSON

/// An address to which the changes of spaces are sent.
public struct Webhook: Sendable, Hashable {
  /// The name by which it is listed and removed.
  public var name: String
  /// The address.
  public var url: String
  /// The names of the spaces; `*` stands for every space.
  public var spaces: Set<String>
  /// The key by which requests are signed, as `whsec_` and base64.
  public var secret: String
  /// Whether the address may be one of this computer or of a private network.
  public var allowsPrivateAddresses: Bool
  /// Whether the places of all spaces were noted when it was added. It then receives everything of a
  /// space that came later; otherwise it begins when a server notices it.
  var hasPlaces = false

  /// Creates a webhook with a new secret.
  public init(
    name: String,
    url: String,
    spaces: Set<String>,
    allowsPrivateAddresses: Bool = false
  ) {
    self.name = name
    self.url = url
    self.spaces = spaces
    self.allowsPrivateAddresses = allowsPrivateAddresses
    var random = SystemRandomNumberGenerator()
    let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    secret = "whsec_" + Data(key).base64EncodedString()
  }

  /// The bytes of the secret.
  var key: [UInt8] {
    let text = secret.hasPrefix("whsec_") ? String(secret.dropFirst(6)) : secret
    return Data(base64Encoded: text).map { Array($0) } ?? Array(secret.utf8)
  }

  /// Returns the signature of a request, as the Standard Webhooks have it.
  ///
  /// - Parameters:
  ///   - body: the body.
  ///   - id: the header `webhook-id`.
  ///   - seconds: the header `webhook-timestamp`.
  public func signature(of body: String, id: String, at seconds: Int) -> String {
    let signed = Data("\(id).\(seconds).\(body)".utf8)
    let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
    return "v1,\(Data(code).base64EncodedString())"
  }

  /// Identifies the webhook. A webhook that is removed and added again has another mark.
  var mark: String { String(ContentDigest.sha256(Array(secret.utf8)).hexadecimal.prefix(12)) }

  func isFor(_ space: String) -> Bool { spaces.contains("*") || spaces.contains(space) }

  /// Throws if the address is one of this computer or of a private network, and the webhook does not
  /// permit that: no delivery would arrive. Looks the host's name up, which may take a while.
  public func requirePublicAddress() throws {
    guard !allowsPrivateAddresses, let host = URL(string: url)?.host() else { return }
    let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    guard let own = PublicAddress.addresses(of: plain).first(where: { !$0.isPublic }) else {
      return
    }
    throw VarveError(
      .invalidArgument,
      "the host \(plain) has the address \(own.text), which is of this computer or a private "
        + "network",
      at: url,
      remedy: "Name an address of the internet, or permit this one with --private."
    )
  }

  /// Throws unless the name and the address can be used.
  func validate() throws {
    guard SpaceName(name) != nil else {
      throw VarveError(
        .invalidArgument,
        "a webhook cannot have the name \"\(name)\"",
        at: "webhook \(name)",
        remedy: "Use letters, digits, hyphens and underscores, with single dots between them; the "
          + "first is a letter or a digit."
      )
    }
    guard let url = URL(string: url), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host()?.isEmpty == false, url.user == nil, url.password == nil
    else {
      throw VarveError(
        .invalidArgument,
        "the address of the webhook \"\(name)\" cannot be used",
        at: url,
        remedy: "Write an address that begins with https:// or http://, without a password."
      )
    }
  }
}

extension Webhook {
  /// The webhook as a line of its file.
  var json: JSON {
    [
      "name": .string(name), "url": .string(url),
      "spaces": .array(spaces.sorted().map { .string($0) }), "secret": .string(secret),
      "private": .bool(allowsPrivateAddresses), "hasPlaces": .bool(hasPlaces),
    ]
  }

  init?(_ json: JSON) {
    guard case .string(let name)? = json["name"], case .string(let url)? = json["url"],
      case .array(let spaces)? = json["spaces"], case .string(let secret)? = json["secret"]
    else { return nil }
    self.init(name: name, url: url, spaces: [], allowsPrivateAddresses: json["private"] == true)
    self.secret = secret
    hasPlaces = json["hasPlaces"] == true
    for space in spaces {
      guard case .string(let space) = space else { return nil }
      self.spaces.insert(space)
    }
  }
}
#endif
