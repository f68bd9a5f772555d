import VarveCore

extension CompiledMapping {
  /// The members of an object that are read, in flat memory: to find one counts no references.
  final class MemberTable {
    /// A member: its name, and how most of its values are read.
    struct Entry {
      fileprivate let name: UnsafeBufferPointer<UInt8>
      /// The index of its values in a row, if it has no other purpose.
      let index: Int
      /// The kinds of scalars that are then values as they are.
      let kept: KeptKinds

      @inline(__always)
      fileprivate func isNamed(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard name.count == other.count else { return false }
        for index in name.indices where name[index] != other[index] { return false }
        return true
      }
    }

    /// Kinds of JSON scalars that are values as they are.
    struct KeptKinds: OptionSet {
      let rawValue: UInt8

      static let string = KeptKinds(rawValue: 1)
      static let int = KeptKinds(rawValue: 2)
      static let double = KeptKinds(rawValue: 4)
      static let bool = KeptKinds(rawValue: 8)
    }

    let members: [Member]
    private let names: UnsafeMutableBufferPointer<UInt8>
    /// An entry for each member.
    let entries: UnsafeBufferPointer<Entry>

    init(_ members: [Member]) {
      self.members = members
      let count = members.reduce(0) { $0 + $1.name.utf8.count }
      names = .allocate(capacity: count)
      _ = names.initialize(from: members.lazy.flatMap(\.name.utf8))
      let entries = UnsafeMutableBufferPointer<Entry>.allocate(capacity: members.count)
      var start = 0
      for (place, member) in members.enumerated() {
        let end = start + member.name.utf8.count
        let column = member.columns.count == 1 && !member.isNeededWhole ? member.columns[0] : nil
        let entry = Entry(
          name: UnsafeBufferPointer(rebasing: names[start..<end]),
          index: column?.index ?? 0,
          kept: column?.keptKinds ?? []
        )
        entries.initializeElement(at: place, to: entry)
        start = end
      }
      self.entries = UnsafeBufferPointer(entries)
    }

    deinit {
      names.deallocate()
      entries.deallocate()
    }
  }
}

extension UnsafeBufferPointer<CompiledMapping.MemberTable.Entry> {
  /// Returns the index of a member; nil if it has no purpose. Members are mostly in the same order,
  /// so the search starts after the last one found.
  @inline(__always)
  func index(of name: UnsafeBufferPointer<UInt8>, _ hint: inout Int) -> Int? {
    for step in 0..<count {
      var index = hint &+ step
      if index >= count { index &-= count }
      guard self[index].isNamed(name) else { continue }
      hint = index &+ 1 == count ? 0 : index &+ 1
      return index
    }
    return nil
  }
}

extension CompiledMapping.Column {
  /// The kinds of scalars that are the property's values as they are.
  fileprivate var keptKinds: CompiledMapping.MemberTable.KeptKinds {
    guard transform == nil, defaultTransform == nil else { return [] }
    switch kind {
    case nil: return [.string, .int, .double, .bool]
    case .string: return .string
    case .int: return .int
    case .double: return .double
    case .bool: return .bool
    default: return []
    }
  }
}

extension PackedValues {
  /// Sets a value of a row to a scalar that is a value as it is. Returns false, without a change,
  /// if it is another.
  @inline(__always)
  mutating func keep(
    _ tape: JSONTape,
    _ entry: CompiledMapping.MemberTable.Entry,
    from first: Int
  ) -> Bool {
    let place = first + entry.index
    if let text = tape.string {
      guard entry.kept.contains(.string) else { return false }
      set(place, text: UnsafeRawBufferPointer(text))
    } else if let value = tape.int {
      guard entry.kept.contains(.int) else { return false }
      set(place, int: value)
    } else if let value = tape.double {
      guard entry.kept.contains(.double) else { return false }
      set(place, double: value)
    } else if let value = tape.bool {
      guard entry.kept.contains(.bool) else { return false }
      set(place, bool: value)
    } else {
      return false
    }
    return true
  }
}
