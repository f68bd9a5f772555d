#if Server
import Foundation
import VarveCore

/// A file of the inspector's page.
struct PageFile: Sendable {
  let bytes: [UInt8]
  /// The media type.
  let type: String
  /// The ETag, which is that of the content.
  let tag: String

  private init(_ name: String, _ bytes: [UInt8]) {
    self.bytes = bytes
    type = Self.types[String(name.split(separator: ".").last ?? "")] ?? "text/plain"
    tag = "\"\(ContentDigest.sha256(bytes).hexadecimal.prefix(16))\""
  }

  /// Returns the file of a name; nil if there is none.
  static func named(_ name: String) -> PageFile? {
    #if DEBUG
    if let folder = ProcessInfo.processInfo.environment["VARVE_INSPECTOR_PAGE"] {
      // A change of the page shows without a build.
      guard !name.contains("/"), !name.contains(".."),
        let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)")
      else { return nil }
      return PageFile(name, Array(bytes))
    }
    #endif
    return all[name]
  }

  private static let all = Dictionary(
    uniqueKeysWithValues: contents.map { ($0.name, PageFile($0.name, $0.bytes)) }
  )

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
  ]
}
#endif
