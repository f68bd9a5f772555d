#if CommandLine && Server
import Foundation
import Testing
import VarveClient
import VarveCore
import VarveSealed
import VarveStore
import VarveTestSupport

/// Stores of the devices of a sealed space, each with its own keys.
struct SealedMembers {
  /// A name that no other test has.
  let name = "\(SpaceID.random())"
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Opens a store of a device with its own keys.
  func store(_ device: String) async throws -> Store {
    var configuration = Store.Configuration()
    configuration.seal = try seal(device)
    return try await Store.open(scratch.path("\(device).varve"), configuration: configuration)
  }

  /// The seal of a device.
  func seal(_ device: String) throws -> SpaceSeal {
    try .member(with: .folder(scratch.path("\(device)-keys")))
  }

  /// The relay at a host.
  func space(at host: HostProcess) throws -> RemoteSpace { RemoteSpace("\(host.address)/\(name)") }

  /// Seals a space, and makes its relay at a host.
  func founder(_ device: String, at host: HostProcess) async throws -> Store {
    try await foundation(by: device, at: host).store
  }

  /// Seals a space, makes its relay at a host, and returns the recovery key too.
  func foundation(
    by device: String,
    at host: HostProcess
  ) async throws -> (store: Store, recoveryKey: String) {
    let store = try await store(device)
    let key = try await store.sealSpace()
    try await RemoteServer(host.address).createRelay(name, of: store.sealedSpace)
    try await store.sync(with: space(at: host))
    return (store, key)
  }

  /// Lets a device join by an invitation of another. Each synchronises with a host of its own.
  func join(
    _ device: String,
    at host: HostProcess,
    invitedBy inviting: Store,
    at other: HostProcess,
    as role: MemberRole = .writer
  ) async throws -> Store {
    let store = try await store(device)
    try await store.join(try await inviting.invite(role))
    try await store.sync(with: space(at: host))
    try await inviting.sync(with: space(at: other))
    try await store.sync(with: space(at: host))
    return store
  }
}

extension Store {
  /// The id of the sealed space of this store.
  var sealedSpace: SpaceID {
    get async throws { try #require(try await membership().space) }
  }

  /// The entries of the membership log here.
  var entries: [[UInt8]] {
    get async throws { try await readableLog().readingDesk { try $0.entries } }
  }
}
#endif
