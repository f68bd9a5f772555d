#if YAML
import VarveCore
import VarveJSON
import Yams

/// Reads one document: Yams parses its nodes, which are converted to JSON values here.
///
/// Yams expands aliases without a limit, so a few lines of aliases of aliases could use all memory.
/// In the text it parses, aliases are therefore plain scalars that begin with a mark. They are
/// expanded here and counted.
struct YAMLReading {
  /// The places of the parts, by JSON pointer.
  private(set) var places: [String: YAMLPlace] = [:]
  private var anchors: [String: Node] = [:]
  private var valueCount = 0
  /// The first character of an alias.
  private var mark: Unicode.Scalar = "*"

  mutating func read(_ text: String) throws -> JSON {
    let (marked, mark) = try Self.markAliases(in: text)
    self.mark = mark
    do {
      let parser = try Parser(yaml: marked, resolver: .basic)
      guard let root = try parser.singleRoot() else {
        throw YAMLPlace(line: 1, column: 1).failure("there is no document")
      }
      // Nodes have their anchors only while the parser lives.
      return try withExtendedLifetime(parser) { try value(root, at: "", depth: 0) }
    } catch let error as YamlError {
      throw Self.failure(error)
    }
  }

  /// Returns the text with a mark in place of each asterisk that may begin an alias.
  private static func markAliases(in text: String) throws -> (String, Unicode.Scalar) {
    guard text.unicodeScalars.contains("*") else { return (text, "*") }
    let used = Set(text.unicodeScalars.lazy.filter { (0xE000...0xF8FF).contains($0.value) })
    guard
      let mark = (0xE000...0xF8FF).lazy.compactMap(Unicode.Scalar.init).first(where: {
        !used.contains($0)
      })
    else {
      throw YAMLPlace(line: 1, column: 1).failure("the text uses every private character")
    }
    var marked = String.UnicodeScalarView()
    var former: Unicode.Scalar = "\n"
    for scalar in text.unicodeScalars {
      let begins = scalar == "*" && " \t\r\n[{,:-?".unicodeScalars.contains(former)
      marked.append(begins ? mark : scalar)
      former = scalar
    }
    return (String(marked), mark)
  }

  // MARK: Nodes

  private mutating func value(
    _ node: Node,
    at pointer: String,
    depth: Int,
    isRepeated: Bool = false
  ) throws -> JSON {
    let place = node.place
    valueCount += 1
    guard valueCount <= YAMLDocument.maximumValueCount else {
      throw place.failure(
        "the document expands to more than \(YAMLDocument.maximumValueCount) values",
        remedy: "Use fewer aliases."
      )
    }
    guard depth <= YAMLDocument.maximumDepth else { throw place.failure("nodes nest too deep") }
    if !isRepeated { places[pointer] = place }
    let value: JSON
    switch node {
    case .scalar(let scalar):
      if let name = alias(scalar) {
        return try self.value(named(name, place), at: pointer, depth: depth + 1, isRepeated: true)
      }
      value = try YAMLScalar(text(scalar), scalar, place).json
    case .sequence(let sequence):
      try refuse(sequence.tag.called, unless: .seq, place)
      value = .array(
        try sequence.enumerated().map { index, element in
          try self.value(
            element,
            at: "\(pointer)/\(index)",
            depth: depth + 1,
            isRepeated: isRepeated
          )
        }
      )
    case .mapping(let mapping):
      try refuse(mapping.tag.called, unless: .map, place)
      value = try object(mapping, at: pointer, depth: depth, isRepeated: isRepeated)
    case .alias: throw place.failure("an alias is not allowed here")
    }
    if !isRepeated, let anchor = node.anchor { anchors[anchor.rawValue] = node }
    return value
  }

  private mutating func object(
    _ mapping: Node.Mapping,
    at pointer: String,
    depth: Int,
    isRepeated: Bool
  ) throws -> JSON {
    var members: [JSON.Member] = []
    var names: Set<ExactText> = []
    for (key, node) in mapping {
      let name = try name(key)
      guard names.insert(ExactText(name)).inserted else {
        throw key.place.failure("the name \"\(name)\" is repeated")
      }
      let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
      let way = "\(pointer)/\(escaped)"
      let value = try self.value(node, at: way, depth: depth + 1, isRepeated: isRepeated)
      members.append(JSON.Member(name: name, value: value))
      if !isRepeated { places[way] = key.place }
    }
    return .object(members)
  }

  /// Returns the name of a member.
  private mutating func name(_ key: Node) throws -> String {
    guard case .scalar(let scalar) = key else {
      throw key.place.failure("a list or an object is in the place of a name")
    }
    if let alias = alias(scalar) { return try name(named(alias, key.place)) }
    if let anchor = key.anchor { anchors[anchor.rawValue] = key }
    return text(scalar)
  }

  // MARK: Aliases

  /// Returns the anchor that an alias names; nil if the scalar is not an alias.
  private func alias(_ scalar: Node.Scalar) -> String? {
    guard mark != "*", scalar.style == .plain, scalar.string.unicodeScalars.first == mark else {
      return nil
    }
    return String(scalar.string.unicodeScalars.dropFirst())
  }

  private func named(_ name: String, _ place: YAMLPlace) throws -> Node {
    if let node = anchors[name] { return node }
    throw place.failure("the alias *\(name) names nothing before it")
  }

  /// Returns the text of a scalar, with its asterisks restored.
  private func text(_ scalar: Node.Scalar) -> String {
    guard mark != "*" else { return scalar.string }
    let scalars = scalar.string.unicodeScalars.map { $0 == mark ? "*" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }

  // MARK: Failures

  private func refuse(_ tag: Tag.Name, unless wanted: Tag.Name, _ place: YAMLPlace) throws {
    guard tag != .implicit, tag != .nonSpecific, tag != wanted else { return }
    throw place.failure("the tag \(tag.rawValue) has no meaning in JSON")
  }

  private static func failure(_ error: YamlError) -> VarveError {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return mark.place.failure(problem)
    case .reader(let problem, let offset, _, _):
      let place = offset.map { "byte \($0)" }
      return VarveError(.invalidYAML, problem, at: place)
    case .duplicatedKeysInMapping(let names, let context):
      let name = names.first ?? ""
      // The parser compares names as Swift compares strings.
      let cause =
        name.utf8.allSatisfy { $0 < 0x80 }
        ? "" : ", or another is equivalent to it in Unicode, which only a JSON document keeps apart"
      return context.mark.place.failure("the name \"\(name)\" is repeated\(cause)")
    default: return VarveError(.invalidYAML, "\(error)")
    }
  }
}

extension Node {
  fileprivate var place: YAMLPlace { mark?.place ?? YAMLPlace(line: 1, column: 1) }
}

extension Tag {
  /// The tag's name, which Yams makes available only as a description.
  var called: Name { Name(rawValue: description) }
}

extension Mark {
  fileprivate var place: YAMLPlace { YAMLPlace(line: line, column: column) }
}
#endif
