#if canImport(SwiftUI)
// Not yet tested: the tests run on Linux, which has no SwiftUI.
public import SwiftUI
public import VarveEntities

extension EnvironmentValues {
  /// The store of the views below.
  ///
  /// ```swift
  /// ContentView().environment(\.varveStore, store)
  /// ```
  @Entry public var varveStore: Store?
}

/// How long a view waits for its first rows, so that they are there at its first frame.
private let firstFrame = Duration.milliseconds(8)

extension Animation {
  /// Applies a change inside the animation.
  @MainActor
  fileprivate func apply(_ change: () -> Void) { withAnimation(self) { change() } }
}

/// Keeps the store, the query and the content of a property while SwiftUI creates its view again.
@MainActor
private final class Holder<Model: Persistable, Content: LiveContent> {
  private var store: Store?
  private var query: TypedQuery<Model>?
  private(set) var content: Content?

  /// Makes the content anew for another store, and changes its query for another query.
  func update(
    _ store: Store?,
    _ query: TypedQuery<Model>,
    _ animation: Animation?,
    make: (Store) -> Content,
    setQuery: (Content) -> Void
  ) {
    if self.store !== store {
      (self.store, self.query) = (store, query)
      content = store.map(make)
    } else if let content, self.query != query {
      self.query = query
      setQuery(content)
    }
    if let animation {
      content?.applying = { animation.apply($0) }
    } else {
      content?.applying = nil
    }
  }
}

/// The models of a query in a view, read from the store of the environment.
///
/// ```swift
/// struct HatList: View {
///   @StoredModels(Hat.all.order(by: \.color), animation: .default) var hats
///   var body: some View {
///     List(hats) { Text($0.color) }
///   }
/// }
/// ```
///
/// The rows are there at the first frame if they can be read within 8 milliseconds; else they follow.
/// The projected value is the ``LiveResults``, whose `moment` a slider can set; nil before the
/// view is in a hierarchy, and without a store in the environment.
@MainActor
@propertyWrapper
public struct StoredModels<Model: Persistable>: @preconcurrency DynamicProperty {
  @Environment(\.varveStore) private var store
  @State private var holder = Holder<Model, LiveResults<Model>>()
  private let query: TypedQuery<Model>
  private let animation: Animation?

  /// Creates the property.
  ///
  /// - Parameters:
  ///   - query: the models to fetch.
  ///   - animation: the animation of changes; none by default.
  public init(_ query: TypedQuery<Model>, animation: Animation? = nil) {
    self.query = query
    self.animation = animation
  }

  /// The rows, in the query's order.
  public var wrappedValue: [Model] { holder.content?.models ?? [] }

  /// The live results.
  public var projectedValue: LiveResults<Model>? { holder.content }

  /// Connects the property with the store of the environment, and with its query: a view that is
  /// created again with another query shows the rows of that query.
  public func update() {
    holder.update(store, query, animation) {
      LiveResults(query, in: $0, firstWithin: firstFrame)
    } setQuery: {
      $0.query = query
    }
  }
}

/// The models of a query in a view, in sections that share the value of a property.
///
/// ```swift
/// struct HatList: View {
///   @StoredSections(Hat.all.order(by: \.brimSize), by: \.color) var sections
///   var body: some View {
///     List(sections) { section in
///       Section("\(section.key) (\(section.count))") {
///         ForEach(section.models) { Text($0.name) }
///       }
///     }
///   }
/// }
/// ```
///
/// The projected value is the ``LiveSections``; nil before the view is in a hierarchy, and without a
/// store in the environment.
@MainActor
@propertyWrapper
public struct StoredSections<Key: Hashable & Sendable, Model: Persistable>:
  @preconcurrency DynamicProperty
{
  @Environment(\.varveStore) private var store
  @State private var holder = Holder<Model, LiveSections<Key, Model>>()
  private let query: TypedQuery<Model>
  private let keyPath: any KeyPath<Model, Key> & Sendable
  private let pageSize: Int?
  private let animation: Animation?

  /// Creates the property.
  ///
  /// - Parameters:
  ///   - query: the models to fetch.
  ///   - keyPath: the property whose values make the sections.
  ///   - pageSize: the number of rows to load at a time; all by default.
  ///   - animation: the animation of changes; none by default.
  public init(
    _ query: TypedQuery<Model>,
    by keyPath: any KeyPath<Model, Key> & Sendable,
    pageSize: Int? = nil,
    animation: Animation? = nil
  ) {
    self.query = query
    self.keyPath = keyPath
    self.pageSize = pageSize
    self.animation = animation
  }

  /// The sections, in the order of their values.
  public var wrappedValue: [ModelSection<Key, Model>] { holder.content?.sections ?? [] }

  /// The live sections.
  public var projectedValue: LiveSections<Key, Model>? { holder.content }

  /// Connects the property with the store of the environment, and with its query.
  public func update() {
    holder.update(store, query, animation) {
      LiveSections(query, by: keyPath, in: $0, pageSize: pageSize, firstWithin: firstFrame)
    } setQuery: {
      $0.query = query
    }
  }
}
#endif
