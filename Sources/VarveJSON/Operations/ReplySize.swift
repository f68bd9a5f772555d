import VarveCore

/// The size of the results that several operations of one request read.
struct ReplySize {
  private var size: ResultSize?

  /// Counts a result.
  ///
  /// - Throws: `VarveError` with code `invalidQuery` if all together have more bytes than the
  ///   reply may have.
  mutating func add(_ result: JSON) throws {
    // The bound is that of the task which reads.
    var size = self.size ?? ResultSize()
    try size.add(result.byteCountEstimate)
    self.size = size
  }
}

extension JSON {
  /// About the number of bytes of the text.
  fileprivate var byteCountEstimate: Int {
    switch self {
    case .null, .bool, .integer, .fraction: 8
    case .string(let text): text.utf8.count + 3
    case .array(let elements): elements.reduce(2) { $0 + $1.byteCountEstimate }
    case .object(let members):
      members.reduce(2) { $0 + $1.name.utf8.count + 4 + $1.value.byteCountEstimate }
    }
  }
}
