import VarveCore
import VarveJSON
import VarveStore

/// The live objects of a case: contexts, classes, and what bindings hold.
struct ObjectWorld {
  /// A context for each store.
  var contexts: [String: Objects] = [:]
  /// The kinds whose classes are registered.
  var registered: Set<String> = []
  private var held: [Int: CaseObject] = [:]
  private var handleCount = 0

  /// Returns the class of a kind.
  static func type(_ kind: String) throws -> any CaseDocument.Type {
    switch kind {
    case "Shape": return Shape.self
    case "Square": return Square.self
    case "Circle": return Circle.self
    case "Star": return Star.self
    case "VennDiagram": return VennDiagram.self
    case "LazySquare": return LazySquare.self
    case "Chain": return Chain.self
    default: throw CaseFailure.unsupported("kind \(kind)")
    }
  }

  /// Returns a handle that retains an object. Two handles may retain the same object.
  mutating func handle(_ object: CaseObject?) -> JSON {
    guard let object else { return .null }
    handleCount += 1
    held[handleCount] = object
    return ["object": .count(handleCount)]
  }

  func object(_ handle: JSON?) throws -> CaseObject {
    guard let object = objectIfAny(handle) else {
      throw CaseFailure.malformed("\(handle?.text ?? "nothing") is not an object")
    }
    return object
  }

  func objectIfAny(_ handle: JSON?) -> CaseObject? { Self.number(handle).flatMap { held[$0] } }

  /// Lets go of every object in a result.
  mutating func release(_ result: JSON) {
    if let number = Self.number(result) { held[number] = nil }
    for element in result.elements ?? [] { release(element) }
  }

  private static func number(_ handle: JSON?) -> Int? {
    guard case .object(let members)? = handle, members.count == 1 else { return nil }
    return handle?["object"]?.intValue
  }
}
