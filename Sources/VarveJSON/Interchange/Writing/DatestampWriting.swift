import Foundation
import VarveCore

/// Writes datestamps; most are in the same millisecond as the previous one.
struct DatestampWriting {
  private var last: (milliseconds: Int64, text: [UInt8], isText: Bool)?

  /// Writes the content of `{"date": …}`: a text in ISO 8601, with milliseconds unless it is a
  /// whole second; outside the years 1 to 9999, Foundation's seconds since 2001.
  mutating func write(_ time: HybridTime, to json: inout JSONBytes) {
    json.raw(content(of: time).text)
  }

  /// Writes the datestamp of a property: the bare text, or `{"date": …}` if it has no text.
  mutating func writeProperty(_ time: HybridTime, to json: inout JSONBytes) {
    let (text, isText) = content(of: time)
    if !isText { json.raw("{\"date\":") }
    json.raw(text)
    if !isText { json.raw("}") }
  }

  private mutating func content(of time: HybridTime) -> (text: [UInt8], isText: Bool) {
    let milliseconds = time.millisecondsSince1970
    if let last, last.milliseconds == milliseconds { return (last.text, last.isText) }
    var json = JSONBytes()
    let isText = Self.textRange.contains(milliseconds)
    if isText {
      let text = DateWriter.exact(time)
      json.string(text.hasSuffix(".000Z") ? text.dropLast(5) + "Z" : text)
    } else {
      json.text(time.date.timeIntervalSinceReferenceDate.description)
    }
    last = (milliseconds, json.bytes, isText)
    return (json.bytes, isText)
  }

  /// The years 1 to 9999, in milliseconds since 1970.
  private static let textRange: Range<Int64> = -62_135_596_800_000..<253_402_300_800_000
}
