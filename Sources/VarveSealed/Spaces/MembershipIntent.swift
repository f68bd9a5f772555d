import VarveCore

/// A change of the membership that an admin asked for. It becomes an entry once the home can order it.
enum MembershipIntent: Hashable, Sendable {
  /// Removes a device.
  case remove(DeviceID)
  /// Gives a device another role.
  case role(DeviceID, MemberRole)
  /// Begins an epoch.
  case rotate
  /// Destroys cells.
  case purge([Redaction])
  /// Folds history up to a time. What it folds is decided when it is proposed.
  case compact(HybridTime)

  /// Whether the device is no admin afterwards.
  func endsAdmin(_ device: DeviceID) -> Bool {
    switch self {
    case .remove(device): true
    case .role(device, let role): role != .admin
    case .remove, .role, .rotate, .purge, .compact: false
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
    case .purge(let redactions):
      writer.byte(4)
      writer.raw(redactions.encoded)
    case .compact(let time):
      writer.byte(5)
      writer.number64(time.rawValue)
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
      case 4: return .purge(try reader.redactions())
      case 5: return .compact(HybridTime(rawValue: try reader.number64()))
      case let kind: throw StrictReading.newer("\(what) has kind \(kind)")
      }
    }
  }
}

extension [Redaction] {
  /// The bytes of redactions in a block, after the number of their section.
  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.varint(count)
    for redaction in self { writer.redaction(redaction) }
    return writer.bytes
  }
}
