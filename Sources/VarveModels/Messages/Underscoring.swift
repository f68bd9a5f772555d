extension String {
  /// The name in snake case, as in keys of messages: `brim_size` for `brimSize`, `url_path` for
  /// `URLPath`.
  ///
  /// A word begins at a capital after a small letter or a digit, and at a capital before a small
  /// letter that ends a run of capitals.
  var underscored: String {
    var result = ""
    var previous: Character?
    var next = makeIterator()
    _ = next.next()
    for character in self {
      let following = next.next()
      if character.isUppercase, let before = previous {
        let endsWord = before.isLowercase || before.isNumber
        let endsCapitals = before.isUppercase && following?.isLowercase == true
        if endsWord || endsCapitals { result += "_" }
      }
      result += character.lowercased()
      previous = character
    }
    return result
  }
}
