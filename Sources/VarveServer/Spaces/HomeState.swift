#if Server
/// How the home of a server's spaces is, as far as this host knows.
enum HomeState: String, Sendable {
  /// It can be read and written.
  case there
  /// It can be read, and this host may not write to it.
  case readOnly
  /// It cannot be reached.
  case away
}
#endif
