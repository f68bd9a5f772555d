import VarveCore

/// The place of a coder in a value: its path of keys and its depth.
struct CodingPlace {
  /// A linked list of keys, so that descending does not copy them.
  private final class Link {
    let key: any CodingKey
    let parent: Link?

    init(_ key: any CodingKey, after parent: Link?) {
      self.key = key
      self.parent = parent
    }
  }

  private var last: Link?
  /// The number of enclosing arrays and dictionaries.
  private(set) var nesting = 0

  /// The place of the value itself.
  static var root: CodingPlace { CodingPlace() }

  /// Returns the place of an element.
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

  /// The maximum depth of nested coder calls. Each takes a few Swift calls, about 2 KB of stack in
  /// debug builds, and threads may have only 512 KB.
  static let mostCalls = 200

  /// Returns a readable path such as `shop.hats[2].color`, or nil for the value itself. Long paths
  /// are truncated at the beginning.
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

/// A key that the coders create.
enum PlainKey: CodingKey {
  /// The index of an element in an array.
  case index(Int)
  /// A name, such as the default key of a superclass.
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

  /// The default key of a superclass.
  static let superclass = PlainKey.name("super")
}
