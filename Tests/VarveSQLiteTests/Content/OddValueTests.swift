import Foundation
import Testing
import VarveCore
import VarveSQLite
import VarveTestSupport

@Suite("Values at the edges")
struct OddValueTests {
  private static let doubles: [Double] = [
    0, -0.0, 1, -1, .nan, -.nan, .signalingNaN, .infinity, -.infinity, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, 0x1p53, 0x1p63, -0x1p63, 0x1p64, 0.1,
    Double(bitPattern: 0x7FF8_0000_0000_BEEF),
  ]
  private static let dates =
    doubles.map(Date.init(timeIntervalSinceReferenceDate:)) + [
      Date(timeIntervalSince1970: -1), Date(timeIntervalSince1970: -12_345_678_901.25),
      .distantPast, .distantFuture,
    ]
  private static let values: [Value] =
    doubles.map { .double($0) } + dates.map { .date($0) }
    + [0, 1, -1, .min, .max, 1 << 53, 1 << 53 + 1].map { .int($0) }
    + [true, false, "", "0", "1", .data(Data()), .data(Data([0])), .data(Data(count: 16))]
    + [.reference("nobody"), .reference("0190a5b2-7c3d-7e4f-8a1b-2c3d4e5f6071"), [], [:]]
    + [[.double(.nan), [], ""], ["a": ["b": -0.0]]]

  @Test(
    arguments: Kind.allCases
  )
  func `of every kind in one property, in every order, compare as they should`(kind: Kind)
    async throws
  {
    let trip = try await RoundTrip(kind)
    let ids = Self.values.indices.map { EntityID(unchecked: "\($0)") }
    for (index, value) in Self.values.enumerated() {
      try await trip.backend.create(ids[index], "Thing", ["x": value])
    }
    let moments = try await trip.past()
    // Each property goes through all kinds.
    for step in [3, 7] {
      for (index, id) in ids.enumerated() {
        try await trip.backend.set(id, "x", Self.values[(index + step * 5) % Self.values.count])
      }
    }
    let comparisons = Self.values.flatMap { value in
      Comparison.allCases.map { Query("Thing").where(.compare(Field("x"), $0, value)) }
    }
    let others: [Query] = [
      Query("Thing").order(by: Field("x")), Query("Thing").order(by: Field("x"), descending: true),
      Query("Thing").where(Field("x").isIn(Self.values)),
      Query("Thing").where(Field("x").isMissing),
      Query("Thing").where(!(Field("x") < 1)).order(by: Field("x")).limit(10).offset(2),
    ]
    try await trip.prove(ids, at: moments, queries: comparisons + others)
  }

  @Test(arguments: Value.Kind.allCases)
  func `a first value of any kind leaves room for all others`(kind: Value.Kind) async throws {
    let trip = try await RoundTrip(.memory)
    let first = try #require(Self.values.first { $0.kind == kind })
    try await trip.backend.create("first", "Thing", ["x": first])
    var ids: [EntityID] = ["first"]
    for (index, value) in Self.values.enumerated() where index % 3 == 0 {
      let id = EntityID(unchecked: "\(index)")
      ids.append(id)
      try await trip.backend.create(id, "Thing", ["x": value])
      try await trip.backend.set("first", "x", value)
    }
    let moments = try await trip.past()
    let queries = Self.values.map { Query("Thing").where(Field("x") <= $0).order(by: Field("x")) }
    try await trip.prove(ids, at: moments, queries: queries)
  }

  @Test(
    arguments: Kind.allCases
  )
  func `datestamps from before 1970 and the far future order and compare`(kind: Kind) async throws {
    let trip = try await RoundTrip(kind)
    let range = HybridTime.millisecondsRange
    let times = [range.lowerBound, -62_135_596_800_000, -86_400_001, -1, 0, 1, range.upperBound]
    var ids: [EntityID] = []
    for milliseconds in times.reversed() {
      let time = HybridTime(millisecondsSince1970: milliseconds)
      let id = EntityID(unchecked: "\(milliseconds)")
      ids.append(id)
      let values = [Assignment("n", .int(milliseconds))]
      try await trip.backend.write([
        .create(Creation(id, "Thing", values, time: time, datestamp: time))
      ])
      try await trip.backend.write([.set(id, Assignment("m", 1), time: time)])
    }
    let moments = try await trip.past() + times.map { .time(HybridTime(millisecondsSince1970: $0)) }
    let queries = times.flatMap { milliseconds in
      let date = HybridTime(millisecondsSince1970: milliseconds).date
      return [
        Query("Thing").where(.compare(.datestamp, .less, .date(date))),
        Query("Thing").where(.compare(.modified, .greaterOrEqual, .date(date))).order(
          by: .modified
        ),
      ]
    }
    try await trip.prove(ids, at: moments, queries: queries + [Query("Thing")])
  }
}
