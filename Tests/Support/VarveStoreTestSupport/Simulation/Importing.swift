import Foundation
import VarveCore
import VarveJSON
import VarveStore

extension StoreSimulation {
  /// Imports a document of hats, and checks that it was written and reported, and that importing it
  /// again writes nothing.
  ///
  /// - Parameter date: the date for which it is written; nil for the present.
  func importDocument(
    _ document: String,
    _ policy: RelationPolicy,
    isComplete: Bool,
    at date: Date?,
    in session: StoreFleet.Session
  ) async throws {
    let store = session.store
    let mappings = mappings(policy, isComplete: isComplete)
    let before = try await shape(session)
    let frontier = try await store.frontier()
    if !plan.habits.contains(.undoes) { written[session.copy] = nil }
    var options = ImportOptions()
    options.time = date
    let report = try await store.import(DocumentSource(text: document), by: mappings, options)
    tally.importCount += 1
    try await demandContent(of: document, at: date, in: session)
    guard let commit = report.commit else { return }
    tally.commitCount += 1
    note(commit, before, in: session)
    if !plan.habits.contains(.jumps), date == nil {
      let difference = try await store.diff(from: .frontier(frontier))
      let counts = [report.createdCount + report.stubCount, report.endedCount]
      let actual = [difference.added.count, difference.ended.count]
      if counts != actual {
        try fail(.importing, "created and ended were reported as \(counts), in fact \(actual)")
      }
    }
    let again = try await store.import(DocumentSource(text: document), by: mappings, options)
    if again.commit != nil { try fail(.importing, "importing again wrote a commit") }
  }

  private func mappings(_ policy: RelationPolicy, isComplete: Bool) -> Mappings {
    var mapping = Mapping("Hat", identifiedBy: "k") {
      Attribute("k")
      Attribute("name")
      Attribute("size")
      ToMany(ids: "list", of: "Hat", as: .orderedSet, policy: policy)
      ToOne(id: "one", of: "Hat", policy: policy).declaring(.owns)
    }
    if isComplete { mapping.completeness = .matching(!Field("k").isMissing) }
    var mappings = Mappings([mapping])
    mappings.roots = [.init(as: "Hat")]
    return mappings
  }

  /// Checks that some hat has the values of each object, on a date if there is one.
  private func demandContent(
    of document: String,
    at date: Date?,
    in session: StoreFleet.Session
  ) async throws {
    guard case .array(let objects) = try JSONReader.read(document) else { return }
    let state = try date.map { try session.store.asOf($0) } ?? session.store.asOf(Moment.now)
    let hats = try await state.fetch(Query("Hat"))
    for object in objects {
      guard case .object(let members) = object else { continue }
      let wanted = try members.filter { ["k", "name", "size"].contains($0.name) }.map { member in
        (PropertyKey(member.name), member.value == .null ? nil : try Value(json: member.value))
      }
      let isThere = hats.contains { hat in wanted.allSatisfy { hat[$0.0] == $0.1 } }
      if !isThere { try fail(.importing, "\(object.text) is not stored") }
    }
  }
}
