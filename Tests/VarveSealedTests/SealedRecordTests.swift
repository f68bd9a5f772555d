import Testing
import VarveCore
import VarveSealed

/// The bytes in which a home keeps what a relay has beside the commits.
@Suite struct SealedRecordTests {
  private static let samples: [(record: SealedRecord, bytes: [UInt8])] = [
    (.entry([7, 8, 9]), [1, 1, 3, 7, 8, 9]),
    (.home, [1, 2]),
    (.signature([5, 6]), [1, 3, 2, 5, 6]),
    (.letter(.request, id: [1, 2], content: [3]), [1, 4, 1, 2, 1, 2, 1, 3]),
    (.letter(.confirmation, id: [], content: []), [1, 4, 2, 0, 0]),
    (.removal(.request, id: [9]), [1, 5, 1, 1, 9]),
    (.cut(entryCount: 300), [1, 6, 0xAC, 2]),
  ]

  @Test func `records of a relay have the bytes that the format says, and are read from them`()
    throws
  {
    for (record, bytes) in Self.samples {
      #expect(record.encoded == bytes)
      #expect(try SealedRecord(encoded: bytes) == record)
    }
  }

  @Test func `records of a relay that are cut, longer or unknown throw typed errors`() {
    func code(_ bytes: [UInt8]) -> VarveError.Code? {
      #expect(throws: VarveError.self) { _ = try SealedRecord(encoded: bytes) }?.code
    }
    for (_, bytes) in Self.samples {
      for count in bytes.indices { #expect(code(Array(bytes.prefix(count))) == .damaged) }
      #expect(code(bytes + [0]) == .damaged)
      #expect(code([2] + bytes.dropFirst()) == .newerFormat)
      #expect(code([1, 7] + bytes.dropFirst(2)) == .newerFormat)
    }
    #expect(code([1, 5, 9, 1, 9]) == .newerFormat)
    // No other bytes are the same record.
    #expect(code([1, 1, 0x83, 0, 7, 8, 9]) == .damaged)
  }
}
