/// Finds the position of a part of a document. Only errors need positions, so documents do not
/// store them.
extension JSONReader {
  /// Returns the position of a part of a well-formed document; if there is no such part, the
  /// position of the nearest part around it.
  static func position(of path: [JSONStep], in bytes: [UInt8]) -> JSONPosition {
    var reader = JSONReader(bytes, allowsTrailingCommas: true)
    for step in path {
      guard (try? reader.enter(step)) == true else { break }
    }
    reader.skipSpace()
    return JSONPosition(of: reader.position, in: bytes)
  }

  /// Advances to the part a step leads to; returns false, without advancing, if there is none.
  private mutating func enter(_ step: JSONStep) throws(Failure) -> Bool {
    skipSpace()
    let start = position
    switch step {
    case .name(let wanted):
      guard take("{") else { return false }
      repeat {
        skipSpace()
        guard next == UInt8(ascii: "\"") else { break }
        let name = try string()
        skipSpace()
        _ = take(":")
        if name.utf8.elementsEqual(wanted.utf8) { return true }
        _ = try value()
        skipSpace()
      } while take(",")
    case .index(let wanted):
      guard take("[") else { return false }
      var index = 0
      while index < wanted {
        _ = try value()
        skipSpace()
        guard take(",") else { break }
        index += 1
      }
      if index == wanted { return true }
    }
    position = start
    return false
  }
}
