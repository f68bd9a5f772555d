import GRDB
import VarveStore

// Reads back everything a database contains, if requested, as evidence of what was written.

extension VarveItems {
  func prove(_ evidence: Evidence) async throws {
    if evidence.isWanted { try await evidence.take(store.fetch(Query(Self.type))) }
  }
}

extension RawItems {
  func prove(_ evidence: Evidence) throws {
    if evidence.isWanted { try evidence.take(fetchAll()) }
  }
}

extension RecordItems {
  func prove(_ evidence: Evidence) async throws {
    if evidence.isWanted { try evidence.take(await pool.read { try ItemRecord.fetchAll($0) }) }
  }
}

extension HandwrittenItems {
  func prove(_ evidence: Evidence) throws {
    if evidence.isWanted { try evidence.take(fetchAll()) }
  }
}

extension RowPerValue {
  func prove(_ evidence: Evidence) throws {
    if evidence.isWanted { try evidence.take(RowPerValueReading(self).fetchAll()) }
  }
}
