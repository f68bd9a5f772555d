/// Finds again what a step into a document leads to: only errors need positions, so documents do
/// not carry them.
extension JSONReader {
  /// Where a part of a well-formed document stands; as near as can be where there is no such part.
  static func position(of path: [JSONStep], in bytes: [UInt8]) -> JSONPosition {
    var reader = JSONReader(bytes, allowsTrailingCommas: true)
    for step in path {
      guard (try? reader.enter(step)) == true else { break }
    }
    reader.skipSpace()
    return JSONPosition(of: reader.position, in: bytes)
  }

  /// Goes to the part a step leads to; answers false, and stays, where there is none.
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
