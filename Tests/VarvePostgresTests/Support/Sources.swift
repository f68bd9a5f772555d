#if CommandLine && Server
import Foundation

/// The sources of this package.
enum Sources {
  /// The files of a module, with their texts.
  static func texts(of module: String) throws -> [(file: String, text: String)] {
    let folder = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/\(module)")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files?.allObjects ?? []).compactMap { file in
      guard let file = file as? URL, file.pathExtension == "swift" else { return nil }
      return (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
    }
  }
}
#endif
