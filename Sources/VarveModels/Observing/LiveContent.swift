public import Observation
public import VarveCore

/// The base class of ``LiveResults``, ``LivePages``, ``LiveSections``, ``LiveValue`` and ``LiveEntity``,
/// which keep content up to date on the main actor.
@MainActor
public class LiveContent: Observable {
  private let reading: any LiveReading

  init(_ reading: any LiveReading) { self.reading = reading }

  /// The error of the last read; nil if it succeeded.
  public var error: (any Error)? { reading.error }

  /// Whether what was requested last has not been read yet.
  public var isLoading: Bool { reading.isLoading }

  /// The state to read. Setting it reads again; the earlier content is shown until then.
  ///
  /// ```swift
  /// hats.moment = try .at(date)
  /// ```
  public var moment: Moment {
    get { reading.moment }
    set { if newValue != reading.moment { reading.moment = newValue } }
  }

  /// Applies each change of the content, such as inside an animation; nil applies it directly.
  ///
  /// ```swift
  /// hats.applying = { change in withAnimation(.default) { change() } }
  /// ```
  public var applying: (@MainActor (_ change: () -> Void) -> Void)? {
    get { reading.applying }
    set { reading.applying = newValue }
  }

  /// Waits until the content includes everything requested and committed before the call.
  ///
  /// - Throws: the error of the read, which is also in ``error``; ``VarveError`` with code
  ///   `nestedTransaction` inside a write of the store.
  public func settle() async throws { try await reading.settle() }
}

/// A ``LiveReader``, whatever its result is.
@MainActor
protocol LiveReading: AnyObject {
  var error: (any Error)? { get }
  var isLoading: Bool { get }
  var moment: Moment { get set }
  var applying: (@MainActor (_ change: () -> Void) -> Void)? { get set }
  func settle() async throws
}

extension LiveReader: LiveReading {
  var moment: Moment {
    get { request.moment }
    set { request.moment = newValue }
  }
}
