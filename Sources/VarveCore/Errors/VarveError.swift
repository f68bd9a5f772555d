/// What went wrong, where, and what would be right.
///
/// Every operating error of Varve is one of these. Programs switch on ``code``, which is stable
/// between releases; people read ``description``.
///
/// ```swift
/// let input = ""
/// do {
///   _ = try EntityID(input)
/// } catch let error as VarveError {
///   print(error.code.rawValue)  // invalidIdentifier
/// }
/// ```
public struct VarveError: Error, Sendable, Hashable {
  /// The kind of failure.
  public let code: Code
  /// One sentence that says what is wrong.
  public let message: String
  /// Where: a file, an entity, a property, a commit, a byte offset.
  public let place: String?
  /// What to do instead.
  public let remedy: String?
  /// The rules that were broken, in the order they were checked; none but under the code
  /// ``Code/validationFailed``.
  public let violations: [ValidationError]
  /// The kind asked for and the one that is stored; none but under the codes ``Code/kindMismatch`` and
  /// ``Code/unregisteredKind``.
  public let mismatch: KindMismatch?

  /// Creates an error.
  public init(_ code: Code, _ message: String, at place: String? = nil, remedy: String? = nil) {
    self.init(code, message, at: place, remedy: remedy, violations: [])
  }

  init(
    _ code: Code,
    _ message: String,
    at place: String?,
    remedy: String?,
    violations: [ValidationError],
    mismatch: KindMismatch? = nil
  ) {
    self.code = code
    self.message = message
    self.place = place
    self.remedy = remedy
    self.violations = violations
    self.mismatch = mismatch
  }

  /// The same error, told of another place: one that says more of where it is.
  package func told(at place: String?) -> VarveError {
    VarveError(
      code,
      message,
      at: place,
      remedy: remedy,
      violations: violations,
      mismatch: mismatch
    )
  }

  /// The kinds of failure. The raw value is what the command line prints.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The entity, commit or file named does not exist, or is erased.
    case notFound
    /// An entity cannot be restored by itself: all its owners are dead.
    case ownersDead
    /// An entity of that identifier is already live.
    case duplicateIdentifier
    /// An identifier is empty or longer than ``EntityID/maximumByteCount`` bytes.
    case invalidIdentifier
    /// A value is larger than ``Value/maximumByteCount`` bytes.
    case valueTooLarge
    /// A value of a kind that cannot be stored.
    case unsupportedValue
    /// A date outside the range a ``HybridTime`` can hold.
    case timeOutOfRange
    /// A query is none, or larger than the backend can run.
    case invalidQuery
    /// A query names a property its model does not have.
    case unknownProperty
    /// A row has no value for a property that must have one.
    case missingField
    /// A row has a value of another kind than the one asked for.
    case fieldType
    /// The file is not a Varve store.
    case notAStore
    /// The store or commit was written by a newer version of Varve.
    case newerFormat
    /// Stored bytes are not what was written.
    case damaged
    /// The store cannot be written to.
    case readOnly
    /// The disk is full.
    case diskFull
    /// Another writer held the store for longer than the time allowed.
    case busy
    /// Something with a turn of its own was called inside a `write` of the same store, or in a hook.
    case nestedTransaction
    /// A transaction was used after its closure returned.
    case transactionEnded
    /// A commit arrived before the commits it depends on.
    case missingDependencies
    /// The operating system refused a read or a write.
    case inputOutput
    /// An entity or a value is of another type than the one asked for.
    case typeMismatch
    /// Something that only a store can answer was asked without one.
    case noContainer
    /// What is about to be notified of an erasure refused it.
    case hookRefused
    /// An entity would be left without an owner where the relation does not allow it.
    case orphanRefused
    /// What was to be written breaks rules of its model: ``VarveError/violations`` names them.
    case validationFailed
    /// A property's key names a reference that cannot be resolved.
    case unresolvedKey
    /// No object is stored under the identifier.
    case noSuchDocument
    /// What is stored under the identifier has no kind, or no properties but one value instead.
    case malformedDocument
    /// An object's kind has no class in the context that loads it.
    case unregisteredKind
    /// An object is of another kind than the one asked for: ``VarveError/mismatch`` names both.
    case kindMismatch
    /// A property of an object cannot be stored.
    case notEncodable
    /// A text is no JSON document.
    case invalidJSON
    /// A text is no YAML document, or says what JSON cannot.
    case invalidYAML
    /// A JSON document is no interchange document.
    case invalidInterchange
    /// A mapping names something that is not there, or is not well formed.
    case invalidMapping
    /// An identifying value stands for an entity of a mapping that identifies none.
    case noIdentificationAttribute
    /// Somebody cancelled what was under way.
    case cancelled
    /// An operation is not one, or misses something, or says too much.
    case invalidOperation
    /// Varve cannot do this yet.
    case unsupported
    /// A past state lies before what history was folded to.
    case compacted
    /// What is asked for rests on history that is to come after the present.
    case historyAwaited
    /// An ordinary argument is wrong.
    case invalidArgument
    /// The store was closed.
    case closed
  }
}

extension VarveError: CustomStringConvertible {
  /// `code: message (at place). remedy`.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let place { text += " (at \(place))" }
    text += "."
    if let remedy { text += " \(remedy)" }
    return text
  }
}
