package import Foundation
import Observation
package import Varve

/// The data and the actions of the views of a shared inventory.
///
/// The inventory is a store of this device. It is used without a network, and synchronised with a
/// server or another copy when there is one: what two people counted apart is merged item by item,
/// and stays in the history of each.
@Observable @MainActor package final class Inventory {
  /// The text that names of items must contain.
  package var search = "" {
    didSet { results.query = Item.matching(search) }
  }

  /// The day that is shown; nil for the present.
  package var day: Date? {
    didSet { results.moment = day.flatMap { try? .at($0) } ?? .now }
  }

  /// The places with their items, always up to date.
  package var places: [ModelSection<String, Item>] { results.sections }

  /// Why the items could not be read, if that is so.
  package var error: (any Error)? { results.error }

  package var isLoading: Bool { results.isLoading }
  package var hasMore: Bool { results.hasMore }

  /// Whether items can be changed: the past is read only.
  package var isEditable: Bool { day == nil }

  private let store: Store
  private let author: String
  private let undoStack: UndoStack
  private let results: LiveSections<String, Item>

  package init(_ store: Store, author: String, pageSize: Int = 100) {
    self.store = store
    self.author = author
    undoStack = UndoStack(store)
    results = LiveSections(
      Item.matching(""),
      by: \.place,
      in: store,
      pageSize: pageSize,
      firstWithin: .milliseconds(8)
    )
  }

  /// Passes each change of the rows to a closure that applies it, such as in an animation.
  package func animate(_ body: @escaping @MainActor (_ change: () -> Void) -> Void) {
    results.applying = body
  }

  /// Loads further items when the row of an item appears.
  package func appeared(_ item: Item) { results.loadMore(near: item) }

  package func add(_ name: String, to place: String, count: Int = 1) async throws {
    let item = Item(name, in: place, count: count)
    try await change("added \(name)") { try await $0.save(item) }
  }

  /// Sets the number of an item, unless someone has changed it since it was shown.
  package func count(_ item: Item, as count: Int) async throws {
    var counted = item
    counted.count = count
    let fresh = counted
    try await change("counted \(item.name)") { try await $0.save(fresh, ifUnchangedSince: item) }
  }

  package func move(_ item: Item, to place: String) async throws {
    try await change("moved \(item.name)") {
      try await $0.update(item.id) { $0.set(\.place, place) }
    }
  }

  package func remove(_ items: [Item]) async throws {
    try await change("removed \(items.count) items") { try await $0.erase(items) }
  }

  /// Undoes the last change that was made here.
  package func undo() async throws { try await undoStack.undo() }

  /// Returns what an item's number was: when, by whom, and how many, newest first.
  package func counts(of item: Item) async throws -> [(date: Date, author: String, count: Int)] {
    try await store.history(of: item, \.count).compactMap { version in
      version.value.map { (version.time.date, version.author ?? "", $0) }
    }
  }

  /// Waits until the places include all changes so far.
  package func settle() async throws { try await results.settle() }

  private func change(
    _ message: String,
    _ body: @Sendable (WriteTransaction) async throws -> Void
  ) async throws {
    try await undoStack.record {
      try await store.write(author: author, message: message) { try await body($0) }
    }
  }
}
