#if canImport(SwiftUI)
import Foundation
package import SwiftUI
package import Varve

// snippet: Sources/VarveStore/VarveStore.docc/ShowingInSwiftUI.md
/// The items of every place, now or on an earlier day.
package struct ShelfView: View {
  @StoredModels(Item.all.order(by: \.name), animation: .default) private var items
  @Environment(\.varveStore) private var store
  @State private var daysAgo = 0.0
  @State private var failure: String?

  package init() {}

  package var body: some View {
    List {
      if let failure { Text(failure) }
      ForEach(items) { item in
        HStack {
          Text("\(item.name): \(item.count)")
          Button("One more") { addOne(to: item) }
        }
      }
    }
    .toolbar { Slider(value: $daysAgo, in: 0...365) }
    .onChange(of: daysAgo) { $items?.moment = moment }
  }

  private var moment: Moment {
    let date = Date(timeIntervalSinceNow: -daysAgo.rounded() * 86_400)
    return daysAgo < 1 ? .now : (try? .at(date)) ?? .now
  }

  private func addOne(to item: Item) {
    var counted = item
    counted.count += 1
    Task {
      do { _ = try await store?.save(counted, ifUnchangedSince: item) } catch {
        failure = "\(error)"
      }
    }
  }
}
// end
#endif
