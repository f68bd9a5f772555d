/// A small seeded generator of random numbers: the same seed gives the same run on every machine.
///
/// Source: Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators*, 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Creates a generator. All seeds are equally good.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// Returns true with a probability of `percent` in a hundred.
  package mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }

  /// Returns one of several elements with equal probability. An empty collection is a programmer
  /// error and traps.
  package mutating func pick<Element>(_ choices: [Element]) -> Element {
    precondition(!choices.isEmpty, "there is something to pick from")
    return choices[Int.random(in: choices.indices, using: &self)]
  }
}
