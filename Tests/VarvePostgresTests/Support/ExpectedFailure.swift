#if CommandLine && Server
import Testing
import VarveCore

/// Expects that a body throws an error with a code.
func expectFailure<Result>(
  _ code: VarveError.Code,
  _ body: () async throws -> Result
) async {
  let error = await #expect(throws: VarveError.self) { _ = try await body() }
  #expect(error?.code == code)
}
#endif
