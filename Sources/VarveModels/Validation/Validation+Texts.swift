import VarveCore

extension Validation {
  /// Adds `tooShort`, with `min`, or `tooLong`, with `max`, if a text has fewer or more characters
  /// than a range allows. A character is a user-perceived one, such as an accented letter, a flag
  /// or an emoji sequence.
  ///
  /// ```swift
  /// let validation = Validation(model: "Hat").length(of: "color", color, 1...40)
  /// ```
  ///
  /// For `..<40`, the reported `max` is 39.
  ///
  /// - Complexity: O(characters).
  public func length(
    of key: String,
    _ value: String?,
    _ range: some LimitedRange<Int>
  ) -> Validation {
    length(of: key, count: value?.count, LengthOption(range))
  }

  /// Adds `tooShort` or `tooLong` for a counted length.
  func length(of key: String, count: Int?, _ length: LengthOption) -> Validation {
    guard let count else { return self }
    if let least = length.least, count < least {
      return adding(key: key, message: "tooShort", data: ["min": String(least)])
    }
    guard let greatest = length.greatest, count > greatest else { return self }
    return adding(key: key, message: "tooLong", data: ["max": String(greatest)])
  }

  /// Adds `mismatch` if the whole text does not match a regular expression.
  ///
  /// ```swift
  /// let validation = Validation(model: "Hat").pattern(of: "code", code, /[A-Z]{2}-[0-9]+/)
  /// ```
  ///
  /// Matching backtracks: an expression such as `(a+)+` takes time exponential in the text's
  /// length. For a text from an untrusted source, check the length first, and stop if it is too
  /// long. A transformation in the expression that throws is a mismatch.
  public func pattern<Output>(
    of key: String,
    _ value: String?,
    _ expression: Regex<Output>
  ) -> Validation {
    guard let value else { return self }
    let match = try? expression.wholeMatch(in: value)
    return match == nil ? adding(key: key, message: "mismatch") : self
  }

  /// Adds `mismatch` if the whole text does not match a regular expression in Swift's syntax.
  ///
  /// ```swift
  /// let validation = try Validation(model: "Hat").pattern(of: "code", code, "[A-Z]{2}-[0-9]+")
  /// ```
  ///
  /// The expression is validated even if there is no value.
  ///
  /// - Throws: ``VarveError`` with code `invalidArgument` if the expression is invalid, or longer
  ///   than 1,000 bytes.
  /// - Complexity: every call compiles the expression; pass a `Regex` to avoid that.
  public func pattern(
    of key: String,
    _ value: String?,
    _ expression: String
  ) throws -> Validation {
    let place = "\(model), \(key), pattern \"\(expression.prefix(40))\""
    // The parser of expressions is recursive: unclosed brackets would overflow its stack.
    guard expression.utf8.count <= 1_000 else {
      throw VarveError(
        .invalidArgument,
        "a regular expression has \(expression.utf8.count) bytes",
        at: place,
        remedy: "Use at most 1,000 bytes, or a Regex made in Swift."
      )
    }
    let regex: Regex<AnyRegexOutput>
    do {
      regex = try Regex(expression)
    } catch {
      throw VarveError(
        .invalidArgument,
        "a pattern is not a regular expression: \(error)",
        at: place,
        remedy: "Write it in the syntax of Swift's Regex."
      )
    }
    return pattern(of: key, value, regex)
  }
}
