#if Server
import Foundation

extension Data {
  /// Decodes base64 with the alphabet of URLs, without padding; nil if the text is anything else.
  init?(base64URL text: some StringProtocol) {
    var base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    self.init(base64Encoded: base64)
  }

  /// Base64 with the alphabet of URLs, without padding.
  var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
#endif
