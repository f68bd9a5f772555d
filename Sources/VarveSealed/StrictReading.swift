package import VarveCore

/// Reading of bytes that came from others.
package enum StrictReading {
  /// Reads a structure to its end.
  ///
  /// - Parameters:
  ///   - bytes: the encoded structure.
  ///   - what: its name, with an article, for errors.
  /// - Throws: `VarveError` with code `damaged`, which names the structure, or with `newerFormat`.
  package static func read<Result>(
    _ bytes: [UInt8],
    _ what: String,
    limit: Int = .max,
    _ body: (inout ByteReader) throws -> Result
  ) throws -> Result {
    guard bytes.count <= limit else { throw damaged(what, "it has more than \(limit) bytes") }
    do {
      return try bytes.withUnsafeBytes { buffer in
        var reader = ByteReader(buffer)
        let result = try body(&reader)
        guard reader.isAtEnd else { throw reader.damaged("bytes follow it") }
        return result
      }
    } catch let error as VarveError where error.code == .damaged {
      throw damaged(what, error.message, at: error.place)
    }
  }

  /// Returns the error of bytes that are not as they were written.
  package static func damaged(
    _ what: String,
    _ why: String,
    at place: String? = nil
  ) -> VarveError {
    VarveError(
      .damaged,
      "\(what) is not valid: \(why)",
      at: place ?? what,
      remedy: "Fetch it again, from another device or server; what is not valid is not used."
    )
  }

  /// Returns the error of what only newer versions know.
  package static func newer(_ what: String) -> VarveError {
    VarveError(.newerFormat, what, remedy: "Use a newer version of Varve.")
  }
}

extension ByteReader {
  /// Reads a number of 8 bytes.
  mutating func number64() throws -> Int64 {
    guard let number = Int64(exactly: try fixed()) else { throw damaged("a number is too large") }
    return number
  }

  /// Reads a count that the format limits.
  mutating func count(unit: Int, limit: Int, of what: String) throws -> Int {
    let count = try count(unit: unit)
    guard count <= limit else { throw damaged("there are more than \(limit) \(what)") }
    return count
  }

  mutating func bytes(_ count: Int) throws -> [UInt8] { Array(try raw(count)) }

  mutating func space() throws -> SpaceID { try SpaceID(high: fixed(), low: fixed()) }

  mutating func deviceID() throws -> DeviceID { DeviceID(digest: try digest()) }

  /// Reads commits in rising order, without repetition.
  mutating func heads(
    limit: Int = SealedLimits.headCount,
    of what: String = "heads"
  ) throws -> [CommitID] {
    var heads: [CommitID] = []
    for _ in 0..<(try count(unit: 49, limit: limit, of: what)) {
      let head = try commitID()
      if let last = heads.last, last >= head { throw damaged("commits are not in rising order") }
      heads.append(head)
    }
    return heads
  }
}

extension ByteWriter {
  mutating func space(_ space: SpaceID) {
    fixed(space.high)
    fixed(space.low)
  }

  mutating func number64(_ number: Int64) { fixed(UInt64(bitPattern: number)) }

  mutating func heads(_ heads: [CommitID]) {
    varint(heads.count)
    for head in heads { commitID(head) }
  }
}
