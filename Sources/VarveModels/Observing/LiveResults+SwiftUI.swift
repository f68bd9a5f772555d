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

/// The models of a query in a view, read from the store of the environment.
///
/// ```swift
/// struct HatList: View {
///   @StoredModels(Hat.all.order(by: \.color)) var hats
///   var body: some View {
///     List(hats) { Text($0.color) }
///   }
/// }
/// ```
///
/// The projected value is the ``LiveResults``, whose `moment` a slider can set; nil before the
/// view is in a hierarchy, and without a store in the environment.
@MainActor
@propertyWrapper
public struct StoredModels<Model: Persistable>: @preconcurrency DynamicProperty {
  @MainActor
  private final class Holder {
    var store: Store?
    var query: TypedQuery<Model>?
    var results: LiveResults<Model>?
  }

  @Environment(\.varveStore) private var store
  @State private var holder = Holder()
  private let query: TypedQuery<Model>

  /// Creates the property.
  public init(_ query: TypedQuery<Model>) { self.query = query }

  /// The rows, in the query's order.
  public var wrappedValue: [Model] { holder.results?.models ?? [] }

  /// The live results.
  public var projectedValue: LiveResults<Model>? { holder.results }

  /// Connects the property with the store of the environment, and with its query: a view that is
  /// created again with another query shows the rows of that query.
  public func update() {
    let isSameQuery = holder.query.map { $0.untyped == query.untyped } ?? false
    guard holder.store !== store || !isSameQuery else { return }
    (holder.store, holder.query) = (store, query)
    holder.results = store.map { LiveResults(query, in: $0) }
  }
}
#endif
