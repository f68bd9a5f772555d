#if CommandLine
/// Returns a number with its noun: `1 commit`, `5,046 entities`.
func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
  "\(grouped(count)) \(count == 1 ? singular : plural ?? singular + "s")"
}

/// Returns a number with a comma every three digits.
func grouped(_ number: Int) -> String {
  var text = String(number.magnitude)
  var index = text.count - 3
  while index > 0 {
    text.insert(",", at: text.index(text.startIndex, offsetBy: index))
    index -= 3
  }
  return number < 0 ? "-" + text : text
}
#endif
