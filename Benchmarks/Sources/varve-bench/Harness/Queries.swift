/// Returns the time that queries take, and adds their results as evidence. Each must find
/// something.
func ofEach<Argument, Found: HasPlainItem>(
  _ arguments: [Argument],
  _ evidence: Evidence,
  _ fetch: (Argument) async throws -> [Found]
) async throws -> Double {
  for argument in arguments where evidence.isWanted {
    try await evidence.take(fetch(argument))
  }
  return try await seconds {
    for argument in arguments {
      guard try await !fetch(argument).isEmpty else {
        throw RawError(description: "a query found nothing")
      }
    }
  }
}
