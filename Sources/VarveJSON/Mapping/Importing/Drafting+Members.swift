import VarveCore

/// Reads objects whose members are objects with their names as values.
extension Drafting {
  /// Returns the content of an object's members, of which each is an object with a name; nil for
  /// null and for anything that cannot be used.
  ///
  /// - Parameter key: the member that has the name.
  mutating func drafts(
    _ members: [JSON.Member],
    by key: String,
    _ mapping: CompiledMapping,
    at path: DocumentPath,
    of relation: MappedRelation? = nil,
    in outer: JSON? = nil
  ) throws -> [Draft?] {
    try members.map { member in
      let place = path.descendant([.name(member.name)])
      switch member.value {
      case .null: return nil
      case .object(let content):
        let own = content.first { $0.name.isSame(as: key) }
        if let value = own?.value, value != .string(member.name),
          !value.text.isSame(as: member.name)
        {
          note(
            place.descendant([.name(key)]),
            "\(value.short) is not used, because the object's name is"
          )
        }
        let name = JSON.Member(name: key, value: .string(member.name))
        let rest = content.filter { !$0.name.isSame(as: key) }
        return try draft(.object([name] + rest), mapping, at: place)
      case .bool(true) where mapping.identification?.path == KeyPathInJSON(names: [key]):
        return try draft(.string(member.name), mapping, at: place, by: relation, in: outer)
      default:
        refuse("\(member.value.short) is in the place of an object", at: place)
        return nil
      }
    }
  }

  /// Returns the content of a relation whose targets are the members of an object, or nil if it is
  /// unchanged.
  mutating func targets(
    _ json: JSON,
    by key: String,
    _ link: Int,
    _ mapping: CompiledMapping,
    at path: DocumentPath,
    in outer: JSON
  ) throws -> Draft.Targets? {
    guard let members = json.keyedMembers else {
      refuse("\(json.kindName) is in the place of an object whose members are objects", at: path)
      return nil
    }
    let relation = mapping.links[link].relation
    let drafts = try drafts(
      members,
      by: key,
      mapping.targets[link],
      at: path,
      of: relation,
      in: outer
    )
    .compactMap(\.self)
    if drafts.isEmpty, members.contains(where: { $0.value != .null }) { return nil }
    return Draft.Targets(link: link, isNull: false, drafts: drafts)
  }

  /// Reports a value that is not the object it should be.
  mutating func refuse(_ reason: String, at path: DocumentPath) {
    note(path, reason)
    hasUnreadable = true
  }
}

extension JSON {
  /// The members of an object. Some programs write an empty array for an object without members.
  var keyedMembers: [Member]? {
    switch self {
    case .object(let members): members
    case .array(let elements) where elements.isEmpty: []
    default: nil
    }
  }
}

extension CompiledMapping {
  /// The number of members that a complaint names.
  private static let namedCount = 3

  /// Returns whether a line of the mapping reads a member of an object.
  func knows(_ json: JSON) -> Bool {
    guard case .object(let content) = json, !members.members.isEmpty else { return true }
    return content.contains { member in
      members.members.contains { $0.name.utf8.elementsEqual(member.name.utf8) }
    }
  }

  /// Returns the reason why an object is not used of which no member is mapped.
  func complaint(_ json: JSON) -> String {
    guard case .object(let content) = json, !content.isEmpty else {
      return "an empty object has nothing that the mapping \"\(mapping.name)\" reads"
    }
    let names = content.prefix(Self.namedCount).map { JSON.string($0.name).short }
    let rest = content.count > Self.namedCount ? ", …" : ""
    let text = names.joined(separator: ", ") + rest
    let members = content.filter { $0.value != .null }
    let areObjects = !members.isEmpty && members.allSatisfy { $0.value.keyedMembers != nil }
    return "the mapping \"\(mapping.name)\" reads no member of the object, which has \(text)"
      + (areObjects ? "; if its members are the objects, use \"keyedBy\"" : "")
  }
}
