import VarveStoreTestSupport
import VarveTestSupport

/// The options of the command line.
struct Options {
  struct Problem: Error { let text: String }

  var seeds: Range<UInt64> = 0..<1
  var stepCount = 200
  var storeCount: Int?
  var fault: PlantedFault?
  /// The mistake planted in a simulation of whole stores.
  var storeFault: ReferenceFault?
  /// The mistake planted in a simulation of clients of a space.
  var spaceFault: SpaceFault?
  /// Whether every fault is to be planted in turn.
  var findsFaults = false
  var secondsMax: Int?
  var isTold = false
  /// Whether whole stores are simulated, by their public interface.
  var playsStores = false
  /// Whether clients of a space are simulated.
  var playsSpaces = false
  /// The number of failures after which the simulation ends.
  var failuresMax = 5
  /// The number of sessions that are open on a store in a file.
  var sessionCount = 2
  /// The kinds of failures that are ignored.
  var passedOver: Set<StoreFailure.Kind> = []
  /// The maximum number of shorter histories to try after a failure.
  var shrinkingMax = 150

  static let usage = """
    usage: varve-simulate [--seed N | --seeds N] [--first N] [--steps N] [--replicas N]
                          [--seconds N] [--tell] [--mutants] [--fault NAME]
           varve-simulate --stores [--seed N | --seeds N] [--first N] [--steps N] [--seconds N]
                          [--failures N] [--sessions N] [--pass KIND] [--shrink N] [--tell]
                          [--mutants] [--fault NAME]
           varve-simulate --spaces [--seed N | --seeds N] [--first N] [--steps N] [--seconds N]
                          [--failures N] [--tell] [--mutants] [--fault NAME]
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    var (first, count): (UInt64, UInt64) = (0, 1)
    while let option = rest.popFirst() {
      func number() throws -> Int {
        guard let text = rest.popFirst(), let number = Int(text), number >= 0 else {
          throw Problem(text: "\(option) takes a number")
        }
        return number
      }
      switch option {
      case "--seed": (first, count) = (UInt64(try number()), 1)
      case "--seeds": count = UInt64(try number())
      case "--first": first = UInt64(try number())
      case "--steps": stepCount = try number()
      case "--replicas": storeCount = max(2, try number())
      case "--seconds": secondsMax = try number()
      case "--tell": isTold = true
      case "--stores": playsStores = true
      case "--spaces": playsSpaces = true
      case "--failures": failuresMax = try number()
      case "--sessions": sessionCount = max(1, try number())
      case "--shrink": shrinkingMax = try number()
      case "--pass":
        guard let kind = rest.popFirst().flatMap(StoreFailure.Kind.init) else {
          throw Problem(text: "--pass takes a kind of failure")
        }
        passedOver.insert(kind)
      case "--mutants": findsFaults = true
      case "--fault":
        let name = rest.popFirst() ?? ""
        (fault, storeFault) = (PlantedFault(rawValue: name), ReferenceFault(rawValue: name))
        spaceFault = SpaceFault(rawValue: name)
        guard fault != nil || storeFault != nil || spaceFault != nil else {
          throw Problem(text: "--fault takes a name")
        }
        findsFaults = true
      default: throw Problem(text: "there is no option \(option)")
      }
    }
    seeds = first..<first + count
  }

  func plan(seed: UInt64) -> SimulationPlan {
    var plan = SimulationPlan(
      seed: seed,
      stepCount: stepCount,
      storeCount: storeCount ?? 3 + Int(seed % 4)
    )
    plan.isTold = isTold
    plan.forgetting = Self.forgetting[Int(seed % 4)]
    return plan
  }

  /// Half of the simulations neither purge nor compact.
  private static let forgetting: [Forgetting] = [[], .compacts, [], [.purges, .compacts]]

  /// Returns the command that runs a seed again.
  func command(seed: UInt64) -> String {
    let stores = storeCount.map { " --replicas \($0)" } ?? ""
    return "swift run varve-simulate --seed \(seed) --steps \(stepCount)\(stores) --tell"
  }
}
