/// An error with its place and a remedy.
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
  private let storage: Storage

  /// Creates an error.
  public init(
    _ code: Code,
    _ message: String,
    at place: String? = nil,
    remedy: String? = nil,
    entity: EntityID? = nil,
    property: PropertyKey? = nil,
    commit: CommitID? = nil
  ) {
    self.init(
      Content(
        code: code,
        message: message,
        place: place,
        remedy: remedy,
        entity: entity,
        property: property,
        commit: commit
      )
    )
  }

  init(
    _ code: Code,
    _ message: String,
    at place: String?,
    remedy: String?,
    violations: [ValidationError],
    detail: Detail? = nil,
    entity: EntityID? = nil,
    property: PropertyKey? = nil
  ) {
    self.init(
      Content(
        code: code,
        message: message,
        place: place,
        remedy: remedy,
        violations: violations,
        detail: detail,
        entity: entity,
        property: property
      )
    )
  }

  private init(_ content: Content) { storage = .content(content) }

  /// Returns the same error with another place, usually a more precise one.
  ///
  /// - Parameter line: the line, if the place is one in a text.
  package func located(at place: String?, line: Int? = nil) -> VarveError {
    var content = content
    content.place = place
    content.line = line ?? content.line
    return VarveError(content)
  }

  /// Returns the same error with its cause in the words of another system, such as a database.
  ///
  /// A cause may name hosts, roles and files. Those who run the program learn it, in
  /// ``description`` and in logs; what a server replies to its callers leaves it out.
  package func caused(by cause: String?) -> VarveError {
    var content = content
    content.cause = cause
    return VarveError(content)
  }

  /// The kinds of failure. The command line prints the raw value.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// The entity, commit or file does not exist, or is erased.
    case notFound
    /// An entity cannot be restored alone, because all its owners are dead.
    case ownersDead
    /// A live entity with the identifier exists.
    case duplicateIdentifier
    /// An identifier is empty or longer than ``EntityID/maximumByteCount`` bytes.
    case invalidIdentifier
    /// A value is larger than ``Value/maximumByteCount`` bytes, or a sum too large for its type.
    case valueTooLarge
    /// A value is of a kind that cannot be stored.
    case unsupportedValue
    /// A date is outside the range of a ``HybridTime``.
    case timeOutOfRange
    /// A query is malformed, or too large for the backend.
    case invalidQuery
    /// A query names a property its model does not have.
    case unknownProperty
    /// A row has no value for a property that must have one.
    case missingField
    /// A stored value is of another kind than the property that reads it.
    case fieldType
    /// The file is not a Varve store.
    case notAStore
    /// The store is encrypted, and no key was given.
    case keyMissing
    /// The store has another key.
    case wrongKey
    /// A key was given for a store that is not encrypted.
    case notEncrypted
    /// The store or commit was written by a newer version of Varve.
    case newerFormat
    /// Stored bytes differ from what was written.
    case damaged
    /// The store is read-only.
    case readOnly
    /// The disk is full.
    case diskFull
    /// Another writer held the store for longer than the time limit.
    case busy
    /// A call that waits for its own turn was made inside a `write` of the same store, or in a
    /// hook.
    case nestedTransaction
    /// A transaction was used after its closure returned.
    case transactionEnded
    /// A commit arrived before the commits it depends on.
    case missingDependencies
    /// The operating system failed to read or write.
    case inputOutput
    /// An entity is of another type than the expected one.
    case typeMismatch
    /// The call needs a store, and there is none.
    case noContainer
    /// A hook refused an erasure.
    case hookRefused
    /// An entity would be left without an owner, which the relation does not permit.
    case orphanRefused
    /// An entity breaks rules of its model: ``VarveError/violations`` names them.
    case validationFailed
    /// A property is not as its writer expected: ``VarveError/change`` names it and both values.
    case changedMeanwhile
    /// A property's key contains a reference that cannot be resolved.
    case unresolvedKey
    /// No object is stored under the identifier.
    case noSuchDocument
    /// The stored object has no kind, or has a single value instead of properties.
    case malformedDocument
    /// No class is registered for the kind of an object, or under the name in a reference.
    case unregisteredKind
    /// An object is of another kind than the expected one: ``VarveError/mismatch`` names both.
    case kindMismatch
    /// A property of an object cannot be stored.
    case notEncodable
    /// A text is not a JSON document.
    case invalidJSON
    /// A text is not a YAML document, or has content that JSON cannot represent.
    case invalidYAML
    /// A JSON document is not an interchange document.
    case invalidInterchange
    /// A mapping is malformed, or names something that does not exist.
    case invalidMapping
    /// An identifying value is given for an entity whose mapping has no identification attribute.
    case noIdentificationAttribute
    /// The operation was cancelled.
    case cancelled
    /// An operation is unknown, lacks a field, or has unexpected ones.
    case invalidOperation
    /// Varve does not support this yet.
    case unsupported
    /// A past state is earlier than the horizon to which history was compacted.
    case compacted
    /// The result depends on history that has not arrived yet.
    case historyAwaited
    /// An argument is invalid.
    case invalidArgument
    /// It is not certain that the commit is kept: the disk failed while the commit was flushed, or
    /// the connection to the home of the log broke. ``VarveError/commit`` names it, if it is known.
    case outcomeUnknown
    /// The store is closed.
    case closed
    /// The store is suspended: its file is released until it is resumed.
    case suspended
    /// A server does not know who calls: the token is missing, unknown or expired.
    case unauthorized
    /// A server does not permit the call to the bearer of the token.
    case forbidden
  }
}

// MARK: What it carries

extension VarveError {
  /// The kind of failure.
  public var code: Code { content.code }

  /// One sentence that describes the error.
  public var message: String { content.message }

  /// The place of the error: a file, an entity, a property, a commit, a byte offset.
  public var place: String? { content.place }

  /// The cause, for those who run the program and not for callers of a server; nil if the message
  /// says everything.
  package var cause: String? { content.cause }

  /// How to resolve this particular error; nil if only its code has a remedy.
  package var ownRemedy: String? { content.remedy }

  /// How to resolve the error. An error without a remedy of its own has the remedy of its code.
  public var remedy: String? { content.remedy ?? code.remedy }

  /// The broken rules, in the order they were checked; empty unless the code is
  /// ``Code/validationFailed``.
  public var violations: [ValidationError] { content.violations }

  /// The expected and the actual kind of an object whose code is ``Code/kindMismatch`` or
  /// ``Code/unregisteredKind``; otherwise nil.
  public var mismatch: KindMismatch? {
    if case .mismatch(let mismatch)? = content.detail { mismatch } else { nil }
  }

  /// The property that is not as its writer expected; nil unless the code is
  /// ``Code/changedMeanwhile``.
  public var change: MeanwhileChange? {
    if case .change(let change)? = content.detail { change } else { nil }
  }

  /// The entity the error is about; nil if it is not about one.
  public var entity: EntityID? { content.entity }

  /// The property the error is about, for example that of a ``Code/missingField``; nil if it is not
  /// about one.
  public var property: PropertyKey? { content.property }

  /// The commit whose fate is unknown, if the code is ``Code/outcomeUnknown`` and the commit is
  /// known.
  public var commit: CommitID? { content.commit }

  /// The line of a text that could not be read, counted from 1; nil if the place is not in a text.
  package var line: Int? { content.line }

  private var content: Content {
    switch storage {
    case .content(let content): content
    }
  }

  /// A reference to the content, so that an error is one word however much it carries.
  private indirect enum Storage: Sendable, Hashable {
    case content(Content)
  }

  /// What only errors of one code carry.
  enum Detail: Hashable, Sendable {
    case mismatch(KindMismatch)
    case change(MeanwhileChange)
  }

  private struct Content: Sendable, Hashable {
    let code: Code
    let message: String
    var place: String?
    let remedy: String?
    var violations: [ValidationError] = []
    var detail: Detail?
    var entity: EntityID?
    var property: PropertyKey?
    var line: Int?
    var commit: CommitID?
    var cause: String?
  }
}

extension VarveError: CustomStringConvertible {
  /// `code: message: cause (at place). remedy`.
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let cause { text += ": \(cause)" }
    if let place { text += " (at \(place))" }
    text += "."
    if let remedy { text += " \(remedy)" }
    return text
  }
}
