import VarveCore

/// Where in a value a coder is: the keys that lead there, and how deep that is.
struct CodingPlace {
  /// Keys as a chain, so that going deeper does not copy them.
  private final class Link {
    let key: any CodingKey
    let parent: Link?

    init(_ key: any CodingKey, after parent: Link?) {
      self.key = key
      self.parent = parent
    }
  }

  private var last: Link?
  /// The arrays and dictionaries around.
  private(set) var nesting = 0

  /// The value itself.
  static var root: CodingPlace { CodingPlace() }

  /// The place of an element of what stands here.
  func appending(_ key: any CodingKey) -> CodingPlace {
    var place = self
    place.last = Link(key, after: last)
    place.nesting += 1
    return place
  }

  /// The keys, the outermost first.
  var path: [any CodingKey] {
    var keys: [any CodingKey] = []
    var link = last
    while let here = link {
      keys.append(here.key)
      link = here.parent
    }
    return keys.reversed()
  }

  /// The deepest call of one coder in another. Every one is a few calls of Swift, about 2 KB of stack
  /// in debug builds, and threads may have no more than 512 KB.
  static let mostCalls = 200

  /// A path for people, `shop.hats[2].color`; nil for the value itself. Of a long one its end.
  static func text(of path: [any CodingKey]) -> String? {
    guard !path.isEmpty else { return nil }
    let most = 12
    var text = path.count > most ? "…" : ""
    for key in path.suffix(most) {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        let name = key.stringValue
        text += (text.isEmpty ? "" : ".") + name.prefix(60) + (name.count > 60 ? "…" : "")
      }
    }
    return text
  }
}

/// A key of the coders themselves.
enum PlainKey: CodingKey {
  /// Where an element of an array stands.
  case index(Int)
  /// A name, such as that of a superclass that is given none.
  case name(String)

  init(stringValue: String) { self = .name(stringValue) }
  init(intValue: Int) { self = .index(intValue) }

  var stringValue: String {
    switch self {
    case .index(let index): String(index)
    case .name(let name): name
    }
  }

  var intValue: Int? { if case .index(let index) = self { index } else { nil } }

  /// Where a superclass stands that names no key.
  static let superclass = PlainKey.name("super")
}
