/// A name that occurs repeatedly in an object.
struct RepeatedName: Sendable {
  /// The path to the member in the text that was read.
  let path: [JSONStep]
  /// The position of the repeated name.
  var position: JSONPosition

  /// The message about it.
  var reason: String {
    "the name is repeated in its object at \(position); the last value counts"
  }
}
