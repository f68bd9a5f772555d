/// A mistake of a kind that was once made, planted to be found.
package enum StoreFault: String, Sendable, CaseIterable {
  case none
}
