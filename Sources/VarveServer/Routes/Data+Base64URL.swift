#if Server
import Foundation

extension Data {
  /// Decodes base64 with the alphabet of URLs, without padding; nil if the text is anything else, so
  /// that each text has one meaning (RFC 7515).
  init?(base64URL text: some StringProtocol) {
    guard text.utf8.allSatisfy(Self.isBase64URL) else { return nil }
    var base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    self.init(base64Encoded: base64)
  }

  private static func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Base64 with the alphabet of URLs, without padding.
  var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
#endif
