#if Server
/// A space in use: it stays open as long as this object lives, which a reply holds until it was
/// sent, or dropped.
final class SpaceLease: Sendable {
  let space: Space
  private let directory: SpaceDirectory

  init(_ space: Space, of directory: SpaceDirectory) {
    self.space = space
    self.directory = directory
  }

  deinit {
    Task { [space, directory] in await directory.give(space) }
  }
}
#endif
