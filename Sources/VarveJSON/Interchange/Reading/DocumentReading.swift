import VarveCore

/// Reads the outermost object of an interchange document.
struct DocumentReading {
  let stream: JSONStream

  /// The list that a document consists of.
  enum List: String {
    /// The list of a compact or normalized document.
    case entities
    /// The list of a full document.
    case commits
  }

  /// The version of the full form that this build reads and writes.
  static let fullVersion = 1
  /// The size limit for members beside the list; larger ones are skipped.
  private static let otherByteCount = 1 << 20

  /// Advances into the document's list; nil at the end of a document without one.
  func begin() throws -> List? {
    try stream.begin()
    let start = try stream.nextPosition()
    guard try stream.enterObject() else {
      _ = try stream.value(atMost: Self.otherByteCount)
      try stream.end()
      throw Self.misfit("a document is an object: {\"entities\": […]}", start)
    }
    var isForeign = false
    while let name = try stream.nextName() {
      guard let list = List(rawValue: name) else {
        isForeign = isForeign || name != "version"
        try readOther(name)
        continue
      }
      guard try stream.enterArray() else {
        throw Self.misfit("\"\(name)\" is a list", try stream.nextPosition())
      }
      return list
    }
    try stream.end()
    // What has other members only is no document of this kind, or one whose list is misspelled.
    guard !isForeign else {
      throw Self.misfit("the document has no list of \"entities\" or \"commits\"", start)
    }
    return nil
  }

  /// Reads the rest of the document after the list.
  func finish() throws {
    while let name = try stream.nextName() {
      guard List(rawValue: name) == nil else {
        let place = try stream.nextPosition()
        throw Self.misfit("a document has one list, of entities or of commits", place)
      }
      try readOther(name)
    }
    try stream.end()
  }

  private func readOther(_ name: String) throws {
    let place = try stream.nextPosition()
    let piece = try stream.value(atMost: Self.otherByteCount)
    guard name == "version", piece?.json != .integer(Int64(Self.fullVersion)) else { return }
    throw VarveError(
      .newerFormat,
      "a document has a version this build does not know",
      remedy: "Load it with a newer version of Varve."
    ).located(at: place)
  }

  static func misfit(_ message: String, _ position: JSONPosition) -> VarveError {
    VarveError(
      .invalidInterchange,
      message,
      remedy: "Documentation/Interchange.md describes the forms. Other JSON needs a mapping."
    ).located(at: position)
  }
}
