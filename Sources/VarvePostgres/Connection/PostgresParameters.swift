import VarveCore

/// The parameters of a call as libpq takes them.
struct PostgresParameters {
  private var bytes = ByteWriter(capacity: 256)
  /// Where each value begins; nil for null.
  private var starts: [Int?] = []
  private var lengths: [Int32] = []

  init(_ values: [PostgresValue]) {
    for value in values {
      let start = bytes.count
      let isThere = value.write(to: &bytes)
      starts.append(isThere ? start : nil)
      lengths.append(Int32(bytes.count - start))
    }
    // A pointer to an empty last value must be one into the buffer.
    bytes.byte(0)
  }

  /// Passes the values, their lengths and their formats, which are all binary.
  func withPointers<Result>(
    _ body: (
      UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Result
  ) -> Result {
    guard !starts.isEmpty else { return body(nil, nil, nil) }
    return bytes.bytes.withUnsafeBytes { buffer in
      let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      let values = starts.map { start in start.flatMap { base?.advanced(by: $0) } }
      let formats = [Int32](repeating: 1, count: values.count)
      return values.withUnsafeBufferPointer { values in
        lengths.withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { formats in
            body(values.baseAddress, lengths.baseAddress, formats.baseAddress)
          }
        }
      }
    }
  }
}
