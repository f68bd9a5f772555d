/// The state of destroying redacted bytes that the file may still contain.
struct ForgettingState {
  /// Whether cells were removed from blocks since the last transaction ended.
  var isOn = false
  /// The step of a scrub that is due.
  var scrub: ScrubStep?
}
