import CPostgres
import VarveCore

/// The rows that a statement returned, in PostgreSQL's binary format.
///
/// `@unchecked Sendable`: libpq's result never changes once it is complete.
final class PostgresResult: @unchecked Sendable {
  private let result: OpaquePointer

  /// Takes over a complete result.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// The number of rows.
  var count: Int { Int(PQntuples(result)) }

  /// The kind of statement that was completed: `COMMIT`, or `ROLLBACK` for the commit of a
  /// transaction that had failed.
  var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) != 0
  }

  /// The bytes of a value.
  func bytes(_ row: Int, _ column: Int) -> [UInt8] { raw(row, column).map(Array.init) ?? [] }

  /// An integer of 2, 4 or 8 bytes.
  func integer(_ row: Int, _ column: Int) -> Int64 {
    guard let raw = raw(row, column) else { return 0 }
    switch raw.count {
    case 2: return Int64(Int16(bigEndian: raw.loadUnaligned(as: Int16.self)))
    case 4: return Int64(Int32(bigEndian: raw.loadUnaligned(as: Int32.self)))
    case 8: return Int64(bigEndian: raw.loadUnaligned(as: Int64.self))
    default: return 0
    }
  }

  func text(_ row: Int, _ column: Int) -> String? {
    raw(row, column).map { String(decoding: $0, as: UTF8.self) }
  }

  func uuid(_ row: Int, _ column: Int) -> (high: UInt64, low: UInt64) {
    guard let raw = raw(row, column), raw.count == 16 else { return (0, 0) }
    return (
      UInt64(bigEndian: raw.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  func replica(_ row: Int, _ column: Int) -> ReplicaID {
    let (high, low) = uuid(row, column)
    return ReplicaID(high: high, low: low)
  }

  func digest(_ row: Int, _ column: Int) throws -> ContentDigest {
    guard let raw = raw(row, column), raw.count == 32 else {
      throw VarveError(.damaged, "a digest in the database does not have 32 bytes")
    }
    return ContentDigest(bigEndianBytes: raw)
  }

  private func raw(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
    guard !isNull(row, column), let start = PQgetvalue(result, Int32(row), Int32(column)) else {
      return nil
    }
    return UnsafeRawBufferPointer(
      start: start,
      count: Int(PQgetlength(result, Int32(row), Int32(column)))
    )
  }
}
