#if Server
import HTTPTypes
import HummingbirdCore
import VarveCore
import VarveStore

/// The header `Varve-Position` of a request: what the reply must take into account.
extension Call {
  /// Waits until the space has what the header asks for: `local` for what this host has, `latest`
  /// for all that any host has written, or a position, for everything up to it.
  ///
  /// - Throws: ``Problem`` if the space never had the position.
  func bringUp(_ space: Space) async throws {
    guard let text = request.headers[.varvePosition]?.trimmed, text != "local" else { return }
    if text == "latest" { return try await space.store.followHome() }
    guard let position = SpacePosition(text) else {
      throw VarveError(
        .invalidArgument,
        "a position is expected",
        at: "header Varve-Position",
        remedy: "Write local, latest, or the Varve-Position of a reply."
      )
    }
    if try await space.had(position) { return }
    // Another host of the home may have it.
    try await space.store.followHome()
    guard try await space.had(position) else {
      throw Problem(
        .conflict,
        "unknownPosition",
        "this space never had the position",
        at: "header Varve-Position",
        remedy: "The space may have been restored from a backup. Use latest."
      )
    }
  }
}
#endif
