/// A name that an object has had already.
struct RepeatedName: Sendable {
  /// The path to the member in the text that was read.
  let path: [JSONStep]
  /// Where the repeated name stands.
  var position: JSONPosition

  /// What is reported of it.
  var reason: String {
    "the name stands twice in its object, again at \(position); the last counts"
  }
}
