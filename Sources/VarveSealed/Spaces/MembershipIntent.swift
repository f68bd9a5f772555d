import VarveCore

/// A change of the membership that an admin asked for. It becomes an entry once the home can order it.
enum MembershipIntent: Hashable, Sendable {
  /// Removes a device.
  case remove(DeviceID)
  /// Gives a device another role.
  case role(DeviceID, MemberRole)
  /// Begins an epoch.
  case rotate

  /// Whether the device is no admin afterwards.
  func endsAdmin(_ device: DeviceID) -> Bool {
    switch self {
    case .remove(device): true
    case .role(device, let role): role != .admin
    case .remove, .role, .rotate: false
    }
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .remove(let device):
      writer.byte(1)
      writer.digest(device.digest)
    case .role(let device, let role):
      writer.byte(2)
      writer.digest(device.digest)
      writer.byte(role.rawValue)
    case .rotate: writer.byte(3)
    }
    return writer.bytes
  }

  /// - Throws: `VarveError` with code `damaged` or `newerFormat`.
  init(encoded bytes: [UInt8]) throws {
    let what = "a change of the membership"
    self = try StrictReading.read(bytes, what) { reader in
      switch try reader.byte() {
      case 1: return .remove(try reader.deviceID())
      case 2: return .role(try reader.deviceID(), try MemberRole(&reader))
      case 3: return .rotate
      case let kind: throw StrictReading.newer("\(what) has kind \(kind)")
      }
    }
  }
}
