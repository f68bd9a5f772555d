import VarveCore

extension Session {
  /// Takes another incarnation, so that positions of the copy that it was are none of this one.
  func becomeAnotherCopy() throws {
    guard try connection.metaInteger("incarnation") != nil else { return }
    try connection.setMeta("incarnation", Int64(bitPattern: SpaceID.random().low))
  }

  /// Returns the space's id and this copy's incarnation. The first call chooses them.
  func chooseSpace() throws -> (space: SpaceID, incarnation: Int64) {
    if let known = try spaceIdentity() { return known }
    let space = try connection.metaSpace("space") ?? homeSpace() ?? .random()
    let incarnation = Int64(bitPattern: SpaceID.random().low)
    try connection.setMeta("space", space)
    try connection.setMeta("incarnation", incarnation)
    return (space, incarnation)
  }

  /// Returns the space's id and this copy's incarnation, or nil if they are not chosen yet.
  func spaceIdentity() throws -> (space: SpaceID, incarnation: Int64)? {
    guard let space = try connection.metaSpace("space"),
      let incarnation = try connection.metaInteger("incarnation")
    else { return nil }
    return (space, incarnation)
  }
}

extension Connection {
  func metaSpace(_ key: String) throws -> SpaceID? {
    guard let high = try metaInteger("\(key) high"), let low = try metaInteger("\(key) low") else {
      return nil
    }
    return SpaceID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low))
  }

  func setMeta(_ key: String, _ space: SpaceID) throws {
    try setMeta("\(key) high", Int64(bitPattern: space.high))
    try setMeta("\(key) low", Int64(bitPattern: space.low))
  }
}
