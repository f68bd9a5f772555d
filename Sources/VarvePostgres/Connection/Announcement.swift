/// A notification from a server.
struct Announcement: Hashable {
  /// The server's process that sent it.
  let process: Int32
  let payload: String

  init(_ process: Int32, _ payload: String) {
    self.process = process
    self.payload = payload
  }
}
