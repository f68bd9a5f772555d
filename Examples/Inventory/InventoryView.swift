#if canImport(SwiftUI)
import Foundation
package import SwiftUI
package import Varve

/// The places with their items, now or on an earlier day.
package struct InventoryView: View {
  @State private var inventory: Inventory
  @State private var failure: String?
  @State private var daysAgo = 0.0

  package init(_ store: Store, author: String) {
    _inventory = State(wrappedValue: Inventory(store, author: author))
  }

  package var body: some View {
    NavigationStack {
      List {
        ForEach(inventory.places) { place in
          Section {
            ForEach(place.models) { item in
              ItemRow(item: item, isEditable: inventory.isEditable) { count in
                perform { try await inventory.count(item, as: count) }
              }
              .onAppear { inventory.appeared(item) }
            }
          } header: {
            Text("\(place.key): \(place.count)")
          }
        }
        if inventory.isLoading { ProgressView() }
      }
      .searchable(text: $inventory.search)
      .navigationTitle(inventory.isEditable ? "Inventory" : "\(Int(daysAgo)) days ago")
      .toolbar {
        Button("Undo") { perform { try await inventory.undo() } }
        Slider(value: $daysAgo, in: 0...365)
      }
      .onChange(of: daysAgo) {
        inventory.day = daysAgo < 1 ? nil : Date(timeIntervalSinceNow: -daysAgo.rounded() * 86_400)
      }
    }
    .onAppear { inventory.animate { change in withAnimation(.default) { change() } } }
  }

  /// Runs what a button does, and keeps its error for the view.
  private func perform(_ body: @escaping @MainActor () async throws -> Void) {
    Task {
      do { try await body() } catch { failure = "\(error)" }
    }
  }
}

/// An item with its number, and buttons to change it.
private struct ItemRow: View {
  let item: Item
  let isEditable: Bool
  let setCount: @MainActor (Int) -> Void

  var body: some View {
    HStack {
      Text(item.name)
      Spacer()
      if isEditable {
        Button("-") { setCount(max(0, item.count - 1)) }
        Text("\(item.count)")
        Button("+") { setCount(item.count + 1) }
      } else {
        Text("\(item.count)")
      }
    }
  }
}
#endif
