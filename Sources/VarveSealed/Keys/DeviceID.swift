package import VarveCore

/// The identity of a device: the hash of its public keys.
package struct DeviceID: Hashable, Sendable {
  package let digest: ContentDigest

  package init(digest: ContentDigest) { self.digest = digest }
}

extension DeviceID: Comparable {
  /// Orders by the 32 bytes.
  package static func < (left: DeviceID, right: DeviceID) -> Bool { left.digest < right.digest }
}

extension DeviceID: CustomStringConvertible {
  /// The first twelve hexadecimal digits.
  package var description: String { digest.description }
}
