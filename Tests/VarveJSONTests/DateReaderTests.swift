import Foundation
import Testing
import VarveCore
import VarveJSON

@Suite struct DateReaderTests {
  @Test func `the usual form and its longer forms are the same date`() throws {
    for year in ["0001", "1600", "1969", "2000", "2001", "2024", "9999"] {
      for rest in ["-02-28T23:59:59", "-01-01T00:00:00", "-12-31T12:30:01"] {
        for fraction in ["", ".0", ".5", ".001", ".999999", ".123456789012345"] {
          let usual = DateReader.read(year + rest + fraction + "Z")
          let longer = DateReader.read(year + rest + fraction + "+00:00")
          #expect(usual != nil && usual == longer, "\(year)\(rest)\(fraction)")
        }
      }
    }
  }

  @Test(arguments: [
    "2001-02-29T00:00:00Z", "2001-01-01T24:00:00Z", "2001-01-01T00:60:00Z", "2001-13-01T00:00:00Z",
    "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00.1234567890123456Z", "2001-01-01T00:00:0xZ",
    "2001-01-01T00:00:00.5xZ", "+001-01-01T00:00:00Z", "", "Z",
  ])
  func `other texts are not dates`(text: String) {
    #expect(DateReader.read(text) == nil)
  }

  @Test(arguments: ["9999-12-31", "2018-12-31", "2000-12-31", "1999-12-31", "0001-12-31"])
  func `a fraction that rounds up stays in its second, its day and its year`(day: String) throws {
    let second = try #require(DateReader.read(day + "T23:59:59Z"))
    let pattern = try #require(DatePattern("yyyy-MM-dd HH:mm:ss.SSSSSSSSS"))
    let dates = [
      DateReader.read(day + "T23:59:59.999999999999999Z"),
      DateReader.read(day + "T23:59:59.999999999999999+00:00"),
      pattern.read(day + " 23:59:59.999999999"),
    ]
    for date in dates {
      let date = try #require(date)
      #expect(date > second && date < second.addingTimeInterval(1))
    }
  }
}
