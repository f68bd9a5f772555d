import VarveCore

/// A collection that encodes itself as an array in whatever order it has at that moment, which another
/// one that is equal need not have.
protocol UnorderedCoding {
  var unordered: Unordered { get }
}

/// What of an array may stand in any order.
enum Unordered {
  /// Its elements.
  case elements
  /// Keys, each with its value after it.
  case pairs

  /// The same in the order of canonical encodings.
  func order(_ values: [Value]) -> [Value] {
    switch self {
    case .elements:
      return values.map { (bytes: $0.encoded, value: $0) }
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.value)
    case .pairs:
      guard values.count.isMultiple(of: 2) else { return values }
      return stride(from: 0, to: values.count, by: 2)
        .map { (bytes: values[$0].encoded, pair: values[$0...($0 + 1)]) }
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.flatMap(\.pair)
    }
  }
}

extension Set: UnorderedCoding {
  var unordered: Unordered { .elements }
}

extension Dictionary: UnorderedCoding {
  /// One whose keys are neither texts nor integers is an array.
  var unordered: Unordered { .pairs }
}
