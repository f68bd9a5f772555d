import VarveCore

/// The identifiers that occurred in a document, in 16 bytes each.
///
/// They are stored as fingerprints of 128 bits with a key that is new in every process: in practice
/// two identifiers never share one, and no document can be constructed so that they do.
struct SeenIdentifiers {
  private struct Fingerprint: Hashable {
    let halves: SIMD2<Int>

    init(_ id: EntityID) {
      halves = SIMD2(Self.hash(id, 0), Self.hash(id, 1))
    }

    private static func hash(_ id: EntityID, _ half: UInt8) -> Int {
      var hasher = Hasher()
      hasher.combine(half)
      hasher.combine(id)
      return hasher.finalize()
    }

    // The fingerprint is already a hash.
    func hash(into hasher: inout Hasher) { hasher.combine(halves.x) }
  }

  private var fingerprints: Set<Fingerprint> = []

  func contains(_ id: EntityID) -> Bool {
    !fingerprints.isEmpty && fingerprints.contains(Fingerprint(id))
  }

  mutating func insert(_ id: EntityID) { fingerprints.insert(Fingerprint(id)) }
}
