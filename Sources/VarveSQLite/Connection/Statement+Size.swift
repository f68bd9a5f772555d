extension Statement {
  /// About the number of bytes that the current row needs in a result.
  var rowByteCount: Int { (0..<columnCount).reduce(32) { $0 + 16 + byteCount($1) } }
}
