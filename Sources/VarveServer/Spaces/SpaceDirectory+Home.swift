#if Server
import VarveCore
import VarveStore

/// What a directory does because other processes use the same spaces.
extension SpaceDirectory {
  /// The time between two looks at the folder or the home.
  private static let watchInterval = Duration.seconds(1)
  /// The time within which a home that is there replies.
  private static let homePatience = Duration.seconds(3)

  /// Looks from time to time, from the first use on, whether spaces were ended elsewhere.
  func watchSpaces() {
    guard folder != nil, watch == nil, !isClosed else { return }
    watch = Task { [weak self, homeShelf] in
      while !Task.isCancelled {
        if let homeShelf {
          await self?.look(at: homeShelf)
        } else {
          await self?.lookAtFiles()
        }
        try? await Task.sleep(for: Self.watchInterval)
      }
    }
  }

  /// Closes spaces whose files were removed or replaced.
  private func lookAtFiles() async {
    for space in openSpaces.values where !space.isPresent { await drop(space) }
  }

  /// Closes spaces that another host has ended, and removes indexes that are too much.
  func look(at shelf: HomeShelf) async {
    let open = openSpaces
    let left = await Self.within(Self.homePatience) {
      try await shelf.home.spaces(among: Set(open.values.map(\.id)))
    }
    homeState = left == nil ? .away : await Self.isWritable(shelf.home) ? .there : .readOnly
    for space in open.values where left?.contains(space.id) == false {
      await discard(space, of: shelf)
    }
    await trim(shelf.cache)
  }

  /// Returns whether a space has ended while it was used: here, or at its home by another host. Then
  /// it is closed. A request that fails asks this, since the next look may be a second away.
  func hasEnded(_ space: Space) async -> Bool {
    guard !isClosed else { return false }
    guard case .open(let held)? = entries[space.name], held === space else {
      await settle(space.name)
      // Where another has its name by now, the request can be repeated.
      return (try? await shelf.contains(space.name)) == false
    }
    guard let homeShelf else { return false }
    let left = await Self.within(Self.homePatience) {
      try await homeShelf.home.spaces(among: [space.id])
    }
    guard let left, !left.contains(space.id) else { return false }
    await discard(space, of: homeShelf)
    return true
  }

  /// Closes a space that the home has no more, and removes its index.
  private func discard(_ space: Space, of shelf: HomeShelf) async {
    let name = space.name
    guard case .open(let held)? = entries[name], held === space else { return }
    recency.removeAll { $0 == name }
    let task = Task<Void, any Error> {
      defer { entries[name] = nil }
      try await shelf.discard(space)
    }
    entries[name] = .ending(task)
    _ = await task.result
  }

  private static func isWritable(_ home: any NotedHome) async -> Bool {
    let refusal = await within(homePatience) { () -> VarveError? in
      do {
        try await home.requireWritable()
        return nil
      } catch let error as VarveError where error.code == .readOnly {
        return error
      }
    }
    // What cannot be asked now shows as a home that is away.
    return (refusal ?? nil) == nil
  }

  private var openSpaces: [SpaceName: Space] {
    entries.compactMapValues { entry in
      if case .open(let space) = entry { space } else { nil }
    }
  }

  /// Removes the indexes that were not used for the longest time, while they are too large
  /// together.
  private func trim(_ cache: IndexCache) async {
    guard cache.limit != nil else { return }
    let open = openSpaces
    // A space that is just being opened has no id that is known.
    guard open.count == entries.count else { return }
    let used = open.filter { useCounts[$0.key] != nil }
    for id in cache.surplus(keeping: Set(used.values.map(\.id))) {
      if let (name, space) = open.first(where: { $0.value.id == id }) {
        guard useCounts[name] == nil, case .open(let held)? = entries[name], held === space else {
          continue
        }
        recency.removeAll { $0 == name }
        let task = Task<Void, any Error> {
          defer { entries[name] = nil }
          // What only the index has, because the home went back, must be there first.
          let isSafe = (try? await space.store.followHome()) != nil
          try await space.store.close()
          if isSafe { cache.remove(id) }
        }
        entries[name] = .ending(task)
        _ = await task.result
      } else if entries.count == openSpaces.count,
        !openSpaces.values.contains(where: { $0.id == id })
      {
        cache.remove(id)
      }
    }
  }

  /// Returns what a closure returns; nil if it throws or takes too long.
  private static func within<Result: Sendable>(
    _ patience: Duration,
    _ body: @escaping @Sendable () async throws -> Result
  ) async -> Result? {
    await withTaskGroup(of: Result?.self) { group in
      group.addTask { try? await body() }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }
}
#endif
