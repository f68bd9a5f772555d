package import VarveCore

extension SQLiteBackend {
  package func check(
    _ progress: @Sendable (CheckProgress) -> Void
  ) async throws -> CheckReport {
    CheckReport()
  }

  package func rebuild() async throws {}
}
