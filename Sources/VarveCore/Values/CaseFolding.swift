/// Unicode's simple case folding, one scalar to one, without a locale.
extension String {
  /// The text with each scalar replaced by its simple case folding.
  package var caseFolded: String {
    if utf8.allSatisfy({ $0 < 0x80 }) {
      return String(
        decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 },
        as: UTF8.self
      )
    }
    var folded = String.UnicodeScalarView()
    for scalar in unicodeScalars { folded.append(scalar.caseFolded) }
    return String(folded)
  }
}

extension Unicode.Scalar {
  /// The simple case folding: the lowercase of the uppercase, so that all forms of a letter fold to
  /// one. A mapping to several scalars is none.
  fileprivate var caseFolded: Unicode.Scalar {
    if value < 0x80 { return (0x41...0x5A).contains(value) ? Self(UInt8(value) | 0x20) : self }
    if let exception = Self.exceptions[value] { return exception }
    let upper = properties.uppercaseMapping.unicodeScalars.only ?? self
    return upper.properties.lowercaseMapping.unicodeScalars.only ?? upper
  }

  /// The scalars whose folding does not follow from their mappings: the dotless i, which folds
  /// with the i in Turkic languages only, and letters that are the same letter encoded twice.
  private static let exceptions: [UInt32: Unicode.Scalar] = [
    0x131: "\u{131}", 0x1FD3: "\u{390}", 0x1FE3: "\u{3B0}", 0xFB05: "\u{FB06}",
  ]
}

extension String.UnicodeScalarView {
  /// The scalar, if there is only one.
  fileprivate var only: Unicode.Scalar? {
    var iterator = makeIterator()
    guard let first = iterator.next(), iterator.next() == nil else { return nil }
    return first
  }
}
