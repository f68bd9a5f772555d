/// Whether the server of a space reads it.
package enum SpaceMode: UInt8, Hashable, Sendable {
  /// It reads it; the membership log proves who wrote what.
  case open = 1
  /// It does not: content, authors and messages are encrypted on the devices.
  case sealed = 2
}
