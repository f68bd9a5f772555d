import VarveCore

/// A value inside a stored `Codable` type is stored as it is.
extension Value: ScalarCoding {
  var scalar: Value? { self }
  init?(scalar: Value) { self = scalar }
  static var expectation: String { "a value" }
}
