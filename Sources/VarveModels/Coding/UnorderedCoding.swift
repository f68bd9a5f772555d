import VarveCore

/// A collection that encodes itself as an array in an order that may differ between equal
/// instances.
protocol UnorderedCoding {
  var unordered: Unordered { get }
}

/// The unordered parts of an array.
enum Unordered {
  /// The elements.
  case elements
  /// Pairs of a key and the value after it.
  case pairs

  /// Returns the values sorted by their canonical encodings.
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
  /// A dictionary whose keys are neither strings nor integers encodes as an array.
  var unordered: Unordered { .pairs }
}
