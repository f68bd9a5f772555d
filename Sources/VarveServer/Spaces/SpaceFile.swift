#if Server
import VarveCore

/// The file of a space, as it was when the space was opened. Another process may remove it, and
/// another file may get its name: what is written then goes to a file that nothing reads again.
struct SpaceFile: Sendable {
  private let folder: String
  private let path: String
  private let version: FileVersion

  /// Looks at a file of a folder; nil if there is none.
  init?(_ path: String, in folder: String) {
    self.folder = folder
    self.path = path
    version = FileVersion(path)
    guard version.isThere else { return nil }
  }

  /// Whether the file has its name still.
  var isPresent: Bool { FileVersion(path).isSameFile(as: version) }

  /// Throws unless the file has its name still.
  ///
  /// - Throws: a problem (`ended`) if the space was ended, else `VarveError` with code
  ///   `notFound`.
  func require(_ name: SpaceName, _ id: SpaceID) throws {
    guard !isPresent else { return }
    if let receipt = try? SpaceReceipts(folder).newest(of: name), receipt.id == id {
      throw Problem(ended: receipt)
    }
    throw VarveError(
      .notFound,
      "the file of the space \"\(name.text)\" was removed or replaced",
      at: "space \(id.text)",
      remedy: "GET /v1/spaces lists the spaces that are there."
    )
  }
}
#endif
