#if canImport(SwiftUI)
// Not yet tested: the tests run on Linux, which has no SwiftUI. They test what follows the phases.
import Foundation
public import SwiftUI
public import VarveEntities

extension Scene {
  /// Suspends a store while all of the scene is in the background, and resumes it when a part
  /// becomes active.
  ///
  /// ```swift
  /// @main
  /// struct HatApp: App {
  ///   let store: Store
  ///   var body: some Scene {
  ///     WindowGroup { ContentView() }
  ///       .suspending(store)
  ///   }
  /// }
  /// ```
  ///
  /// The system is asked for the time that this takes. On macOS, which suspends no process, it does
  /// nothing. A widget or an extension calls `suspend` and `resume` itself.
  @MainActor
  public func suspending(_ store: Store) -> some Scene {
    SuspendingScene(content: self, follower: PhaseFollower(store))
  }
}

/// A scene whose phases a store follows.
private struct SuspendingScene<Content: Scene>: Scene {
  @Environment(\.scenePhase) private var phase
  @State private var follower: PhaseFollower
  private let content: Content

  init(content: Content, follower: PhaseFollower) {
    self.content = content
    _follower = State(wrappedValue: follower)
  }

  var body: some Scene {
    content.onChange(of: phase) { _, phase in
      #if !os(macOS)
      switch phase {
      case .background: leave()
      case .active: follower.comeBack()
      default: break
      }
      #endif
    }
  }

  /// Suspends the store inside an activity, for whose end the system waits some seconds.
  private func leave() {
    #if !os(macOS)
    let released = DispatchSemaphore(value: 0)
    let reason = "release the store's file"
    ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
      if !isExpired { released.wait() }
    }
    follower.leave { released.signal() }
    #endif
  }
}
#endif
