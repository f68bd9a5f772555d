import VarveCore

extension Objects {
  /// Releases the targets of links that lead back to objects above them.
  func loosenCycles(from roots: [any StoredObject]) {
    let closing = LinkCycles.closing(roots) { object in
      let links = strictLinks(of: object)
      for link in links { link.join(self) }
      return links
    }
    guard !closing.isEmpty else { return }
    let record = record(of: roots)
    for link in closing { link.loosen(record, in: self) }
  }

  /// Returns the record of objects and everything they link to, including deallocated ones, which
  /// released links recorded earlier.
  ///
  /// - Complexity: O(objects and links reached).
  func record(of roots: [any StoredObject]) -> ObjectRecord {
    var reached: [(object: any StoredObject, state: ObjectState)] = []
    var earlier: [ObjectRecord] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting = roots
    while let object = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(object)).inserted else { continue }
      if let entry = map[object.id], entry.object === object {
        reached.append((object, entry.state))
      }
      for link in strictLinks(of: object) {
        if let record = link.record { earlier.append(record) }
        if let target = link.target { waiting.append(target) }
      }
    }
    return ObjectRecord(reached, and: earlier)
  }

  private func strictLinks(of object: any StoredObject) -> [any StrictLink] {
    var values = ObjectValues()
    try? object.write(to: &values)
    return values.links.compactMap { $0 as? any StrictLink }
  }
}
