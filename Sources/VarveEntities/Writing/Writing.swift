public import VarveCore

/// A place that writes: a store, which makes a commit of each call, or a transaction, which makes one
/// of all.
///
/// ```swift
/// try await store.set(hat, "price", 12)                        // a commit
/// try await store.as("sam", message: "spring").set(hat, "price", 13)  // a commit by Sam
/// try await store.write { tx in                                // one commit for both
///   try await tx.set(hat, "price", 14)
///   try await tx.relate(shop, .owns, hat)
/// }
/// ```
///
/// Every verb is an extension of this protocol. On a store it throws, besides its own errors, those of
/// ``Store/write(as:author:message:at:_:)``; inside a write of that store, `nestedTransaction`. A custom
/// type conforms by forwarding to another.
public protocol Writing: Reading {
  /// Calls a closure with the transaction of one operation.
  ///
  /// - Parameters:
  ///   - action: the action that observers of changes receive, if this makes a commit.
  ///   - sharesTurn: whether other commits may be written in the same turn: no, if the operation is
  ///     long.
  ///   - body: performs the operation, and calls no closure of the application.
  /// - Throws: the errors of the closure, or ``VarveError``.
  @discardableResult
  func writing<Result>(
    as action: ChangeAction,
    sharesTurn: Bool,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result
}

extension Writing {
  /// Performs one operation in the transaction that it belongs to.
  @discardableResult
  package func perform<Result>(
    as action: ChangeAction,
    sharesTurn: Bool = true,
    _ operation: (CommitWriter) async throws -> Result
  ) async throws -> Result {
    try await writing(as: action, sharesTurn: sharesTurn) { try await $0.perform(operation) }
  }

  /// The store of which this makes commits; nil for a transaction.
  package var committingStore: Store? { self as? Store ?? (self as? AuthoredStore)?.store }
}

extension WriteTransaction: Writing {
  /// Calls the closure with this transaction.
  @discardableResult
  public func writing<Result>(
    as action: ChangeAction,
    sharesTurn: Bool,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result {
    try await body(self)
  }
}

extension Store: Writing {
  /// Makes a commit of what the closure writes, by the author of the task or of the configuration.
  @discardableResult
  public func writing<Result>(
    as action: ChangeAction,
    sharesTurn: Bool,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result {
    try await write(as: action, author: nil, message: nil, sharesTurn: sharesTurn, body)
  }

  /// Returns the store, writing by an author and for a reason.
  ///
  /// ```swift
  /// try await store.as("ben", message: "sale").set(hat, "price", 39.5)
  /// ```
  ///
  /// - Parameters:
  ///   - author: the author of the commits; may be empty. If nil, it is ``author``, else that of the
  ///     configuration.
  ///   - message: the reason for the commits; may be empty.
  public func `as`(_ author: String? = nil, message: String? = nil) -> AuthoredStore {
    AuthoredStore(store: self, author: author, message: message)
  }
}

/// A store whose writes have an author and a reason. See ``Store/as(_:message:)``.
public struct AuthoredStore: Writing {
  let store: Store
  /// The author of the commits; nil for that of the task or of the configuration.
  public let author: String?
  /// The reason for the commits.
  public let message: String?

  /// Makes a commit of what the closure writes.
  @discardableResult
  public func writing<Result>(
    as action: ChangeAction,
    sharesTurn: Bool,
    _ body: (WriteTransaction) async throws -> Result
  ) async throws -> Result {
    try await store.write(
      as: action,
      author: author,
      message: message,
      sharesTurn: sharesTurn,
      body
    )
  }

  /// Reads the present state of the store.
  public func reading<Result>(
    _ body: (StateReader) async throws -> Result
  ) async throws -> Result {
    try await store.reading(body)
  }

  /// Streams the entities of the store that a query matches.
  public func stream(_ query: Query, pageSize: Int) -> EntityStream {
    store.stream(query, pageSize: pageSize)
  }
}
