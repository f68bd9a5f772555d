import Foundation
import Synchronization
import VarveCore

/// What a device keeps in its key store: its keys, the newest memberships that it has seen, and its
/// invitations.
final class DeviceKeeper: Sendable {
  private let store: any KeyStore
  private let known = Mutex<[SpaceID: MembershipMemory]>([:])
  /// The keys of this device.
  let device: Signer

  /// The name of the keys of a device.
  static var deviceName: KeyName { get throws { try KeyName("device") } }

  /// Reads the keys of this device, or makes them.
  init(_ store: any KeyStore) throws {
    self.store = store
    let name = try Self.deviceName
    if let secret = try store.secret(named: name) {
      device = try Signer(secret)
      return
    }
    let new = try Signer.newDevice()
    if try store.make(new.secret, named: name) {
      device = new
    } else if let secret = try store.secret(named: name) {
      // Another process has made them meanwhile.
      device = try Signer(secret)
    } else {
      throw VarveError.system(ENOENT, "the keys of the device are gone", at: "\(name)")
    }
  }

  // MARK: Memberships

  /// Returns the newest membership of a space that this device has seen; nil if it has seen none.
  func memory(of space: SpaceID) throws -> MembershipMemory? {
    if let memory = known.withLock({ $0[space] }) { return memory }
    guard let secret = try store.secret(named: KeyName("membership-\(space)")) else { return nil }
    let memory = try MembershipMemory(secret)
    known.withLock { $0[space] = memory }
    return memory
  }

  func keep(_ memory: MembershipMemory) throws {
    guard try self.memory(of: memory.space) != memory else { return }
    try store.keep(memory.secret, named: KeyName("membership-\(memory.space)"))
    known.withLock { $0[memory.space] = memory }
  }

  /// Verifies that a log has everything that this device has seen, and remembers it.
  ///
  /// - Throws: `VarveError` with code `missingDependencies` or `readOnly`.
  func follow(_ log: MembershipLog) throws {
    guard var memory = try memory(of: log.state.space) else { return }
    try memory.follow(log)
    try keep(memory)
  }

  /// Remembers a log, unless this device has seen more.
  func remember(_ log: MembershipLog) throws {
    do {
      try follow(log)
    } catch let error as VarveError
      where error.code == .missingDependencies || error.code == .readOnly
    {
      return
    }
  }

  /// Verifies that a log has everything that this device has seen, without remembering it.
  func verify(_ log: MembershipLog) throws {
    var memory = try memory(of: log.state.space)
    try memory?.follow(log)
  }

  // MARK: Invitations

  /// Returns the invitations that this device made for a space.
  func invitations(to space: SpaceID) throws -> [OpenInvitation] {
    guard let secret = try store.secret(named: KeyName("invitations-\(space)")) else { return [] }
    let what = "the invitations that this device made"
    return try StrictReading.read(secret.withUnsafeBytes { Array($0) }, what) { reader in
      try (0..<(try reader.count(unit: 2))).map { _ in
        try OpenInvitation(Secret(copying: try reader.counted()))
      }
    }
  }

  /// Keeps the invitations that are still open.
  func keep(_ invitations: [OpenInvitation], to space: SpaceID, milliseconds: Int64) throws {
    var writer = ByteWriter()
    let open = invitations.filter { !$0.isUsed && $0.end >= milliseconds }
    writer.varint(open.count)
    for invitation in open {
      invitation.secret.withUnsafeBytes { writer.counted(Array($0)) }
    }
    try store.keep(Secret(copying: writer.bytes), named: KeyName("invitations-\(space)"))
  }

  // MARK: Joining

  /// What a device remembers while it waits to be added.
  struct Joining {
    let invitation: Invitation
    var request: JoinRequest?
  }

  /// Returns what this device waits for with a store that belongs to no space yet.
  ///
  /// - Parameter place: the id that the store had before it joined.
  func joining(at place: SpaceID) throws -> Joining? {
    guard let secret = try store.secret(named: KeyName("joining-\(place)")) else { return nil }
    return try StrictReading.read(secret.withUnsafeBytes { Array($0) }, "a pending invitation") {
      reader in
      let code = try reader.text()
      let request = Array(try reader.counted())
      return Joining(
        invitation: try Invitation(code: code),
        request: request.isEmpty ? nil : try JoinRequest(encoded: request)
      )
    }
  }

  func keep(_ joining: Joining, at place: SpaceID) throws {
    var writer = ByteWriter()
    writer.text(joining.invitation.code)
    writer.counted(joining.request?.encoded ?? [])
    try store.keep(Secret(copying: writer.bytes), named: KeyName("joining-\(place)"))
  }

  func endJoining(at place: SpaceID) throws {
    try store.removeSecret(named: KeyName("joining-\(place)"))
  }
}
