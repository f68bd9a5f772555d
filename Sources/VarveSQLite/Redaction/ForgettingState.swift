/// What is to be done about bytes of what was forgotten that may still stand in the file.
struct ForgettingState {
  /// Whether cells were taken out of blocks since the last transaction ended.
  var isOn = false
  /// The step of a scrub that is due.
  var scrub: ScrubStep?
}
