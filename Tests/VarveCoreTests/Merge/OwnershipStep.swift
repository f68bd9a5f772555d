import VarveCore
import VarveTestSupport

/// What may happen to entities as far as ownership goes.
enum OwnershipStep {
  case create(Int)
  case relate(Int, Int)
  case renounce(Int, Int)
  case erase(Int)
  case restore(Int)

  static func random(entityCount: Int, _ random: inout SplitMix64) -> OwnershipStep {
    let one = Int.random(in: 0..<entityCount, using: &random)
    let two = Int.random(in: 0..<entityCount, using: &random)
    return switch Int.random(in: 0..<100, using: &random) {
    case ..<25: .create(one)
    case ..<65: .relate(one, two)
    case ..<75: .renounce(one, two)
    case ..<90: .erase(one)
    default: .restore(one)
    }
  }

  func apply(to naive: inout NaiveOwnership) {
    switch self {
    case .create(let one):
      naive.create(one)
      naive.recreate(one)
    case .relate(let owner, let owned): naive.relate(owner: owner, owned: owned)
    case .renounce(let owner, let owned): naive.renounce(owner: owner, owned: owned)
    case .erase(let one): naive.erase(one)
    case .restore(let one): naive.restore(one)
    }
  }

  /// The same for a backend.
  var operation: Operation {
    func id(_ number: Int) -> EntityID { EntityID(unchecked: "\(number)") }
    return switch self {
    case .create(let one): .create(Creation(id(one), "Thing"))
    case .relate(let owner, let owned): .relate(id(owner), Relation(.owns), id(owned), nil)
    case .renounce(let owner, let owned): .unrelate(id(owner), Relation(.owns), id(owned))
    case .erase(let one): .erase(id(one))
    case .restore(let one): .restore(id(one))
    }
  }
}
