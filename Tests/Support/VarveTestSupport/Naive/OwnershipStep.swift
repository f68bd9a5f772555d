/// A change of ownerships or lives.
package enum OwnershipStep {
  case create(Int)
  case relate(Int, Int)
  /// The second entity, which is unknown, becomes an owner of the first.
  case claim(Int, Int)
  case renounce(Int, Int)
  case erase(Int)
  case restore(Int)

  package static func random(entityCount: Int, _ random: inout SplitMix64) -> OwnershipStep {
    let one = Int.random(in: 0..<entityCount, using: &random)
    let two = Int.random(in: 0..<entityCount, using: &random)
    return switch Int.random(in: 0..<100, using: &random) {
    case ..<25: .create(one)
    case ..<60: .relate(one, two)
    case ..<65: .claim(one, two)
    case ..<75: .renounce(one, two)
    case ..<90: .erase(one)
    default: .restore(one)
    }
  }

  package func apply(to naive: inout NaiveOwnership) {
    switch self {
    case .create(let one):
      naive.create(one)
      naive.recreate(one)
    case .relate(let owner, let owned): naive.relate(owner: owner, owned: owned)
    case .claim(let owned, let owner): naive.claim(owned: owned, by: owner)
    case .renounce(let owner, let owned): naive.renounce(owner: owner, owned: owned)
    case .erase(let one): naive.erase(one)
    case .restore(let one): naive.restore(one)
    }
  }
}
