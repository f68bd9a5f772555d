#if Server
import Foundation

/// Addresses of the internet, as opposed to those of this computer and of private networks. A
/// webhook must not reach what only the server's own network may reach.
package enum PublicAddress {
  /// An IP address: 4 or 16 bytes.
  struct Address: Hashable {
    let bytes: [UInt8]

    /// The address as numbers.
    var text: String {
      var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
      let family = bytes.count == 4 ? AF_INET : AF_INET6
      _ = bytes.withUnsafeBytes {
        inet_ntop(family, $0.baseAddress, &buffer, socklen_t(buffer.count))
      }
      return String(
        decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
        as: UTF8.self
      )
    }

    /// Whether the address is one of the internet.
    var isPublic: Bool { bytes.count == 4 ? Self.isPublic4(bytes) : Self.isPublic6(bytes) }

    /// Ranges that are not of the internet (RFC 6890 and others), with their lengths in bits.
    private static let special4: [([UInt8], Int)] = [
      ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8),
      ([169, 254, 0, 0], 16), ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24),
      ([192, 88, 99, 0], 24), ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15),
      ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24), ([224, 0, 0, 0], 3),
    ]

    private static func isPublic4(_ bytes: [UInt8]) -> Bool {
      !special4.contains { begins(bytes, with: $0.0, bits: $0.1) }
    }

    private static func isPublic6(_ bytes: [UInt8]) -> Bool {
      // An address of version 4 may be in one of version 6: mapped, translated, or tunnelled.
      let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
      let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
      if bytes.starts(with: mapped) || bytes.starts(with: translated) {
        return isPublic4(Array(bytes[12...]))
      }
      if bytes.starts(with: [0x20, 0x02]) { return isPublic4(Array(bytes[2..<6])) }
      guard begins(bytes, with: [0x20], bits: 3) else { return false }
      // Protocol assignments, with Teredo, and examples of documents.
      return !begins(bytes, with: [0x20, 0x01, 0, 0], bits: 23)
        && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
        && !begins(bytes, with: [0x3F, 0xFF, 0], bits: 20)
    }

    private static func begins(_ bytes: [UInt8], with range: [UInt8], bits: Int) -> Bool {
      for (index, (left, right)) in zip(bytes, range).enumerated() {
        let count = min(8, bits - index * 8)
        guard count > 0 else { break }
        let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - count))
        if left & mask != right & mask { return false }
      }
      return true
    }
  }

  /// Whether a host has addresses, and all are of the internet.
  package static func isPublic(_ host: String) -> Bool {
    let found = addresses(of: host)
    return !found.isEmpty && found.allSatisfy(\.isPublic)
  }

  /// Returns the addresses of a host; none if it has none.
  static func addresses(of host: String) -> [Address] {
    var hints = addrinfo()
    #if canImport(Darwin)
    hints.ai_socktype = SOCK_STREAM
    #else
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [Address] = []
    var next = list
    while let entry = next {
      if let address = address(of: entry.pointee), !found.contains(address) {
        found.append(address)
      }
      next = entry.pointee.ai_next
    }
    return found
  }

  private static func address(of entry: addrinfo) -> Address? {
    guard let pointer = entry.ai_addr else { return nil }
    switch entry.ai_family {
    case AF_INET:
      return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Address(bytes: withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) })
      }
    case AF_INET6:
      return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
        Address(bytes: withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) })
      }
    default: return nil
    }
  }
}
#endif
