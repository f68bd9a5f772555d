package import VarveCore
package import VarveStore

/// An operation that reads, ready to run on any state.
package struct ReadingRequest: Sendable {
  private let operation: any ReadingOperation

  /// Parses an operation.
  ///
  /// - Throws: `VarveError` with code `invalidOperation`, or the code of an error in a value.
  package init(_ operation: JSON) throws(VarveError) {
    do {
      let envelope = try Envelope(Part(json: operation, path: []), isInner: true)
      guard case .reading(let reading) = envelope.operation else {
        throw Misfit("an operation that reads is expected", at: [])
      }
      self.operation = reading
    } catch let misfit as Misfit {
      let place = misfit.path.text
      throw place.isEmpty ? misfit.error : misfit.error.located(at: place)
    } catch let error as VarveError {
      throw error
    } catch {
      throw VarveError(.invalidOperation, "\(error)")
    }
  }

  /// Returns the operation's result for a state.
  package func read(_ state: any Reading) async throws -> JSON { try await operation.read(state) }
}
