// What Varve uses of SwiftUI: developer.apple.com/documentation/swiftui, pages EnvironmentValues,
// Environment, State and DynamicProperty. It is type-checked only: bodies that need the system trap.
// The macro Entry cannot be declared without its plug-in: the check replaces its declarations by stored
// properties.
public struct EnvironmentValues { public init() {} }

@propertyWrapper
public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}

@propertyWrapper
public struct State<Value> {
  public init(wrappedValue: Value) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { fatalError() }
}

// Page Binding. Members of a value of reference type are bound by dynamic member lookup.
@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public subscript<Subject>(
    dynamicMember keyPath: WritableKeyPath<Value, Subject>
  ) -> Binding<Subject> { fatalError() }
}

// Page Animation, and withAnimation(_:_:).
public struct Animation: Sendable {
  public static let `default` = Animation()
}
public func withAnimation<Result>(
  _ animation: Animation? = .default,
  _ body: () throws -> Result
) rethrows -> Result { try body() }

// Pages View, ViewBuilder, and the views and modifiers of the same names. Their results are `Self` or `some
// View` there; here one type stands for all.
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}
// The views of the system have no body of their own. The stubs are type-checked and never run.
extension View where Body == Never { public var body: Never { return fatalError() } }
extension Never: View { public typealias Body = Never }
extension Optional: View where Wrapped: View { public typealias Body = Never }
public struct AnyContent: View { public typealias Body = Never }

@resultBuilder public enum ViewBuilder {
  public static func buildBlock<each Content>(_ content: repeat each Content) -> AnyContent
  where repeat each Content: View { fatalError() }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { fatalError() }
  public static func buildEither(first: some View) -> AnyContent { fatalError() }
  public static func buildEither(second: some View) -> AnyContent { fatalError() }
}

public struct Text: View {
  public init(_ content: String) {}
  public typealias Body = Never
}
public struct Button: View {
  public init(_ title: String, action: @escaping @MainActor () -> Void) {}
  public typealias Body = Never
}
public struct Slider: View {
  public init(value: Binding<Double>, in bounds: ClosedRange<Double>) {}
  public typealias Body = Never
}
public struct Spacer: View {
  public init() {}
  public typealias Body = Never
}
public struct ProgressView: View {
  public init() {}
  public typealias Body = Never
}
public struct HStack: View {
  public init(@ViewBuilder content: () -> some View) {}
  public typealias Body = Never
}
public struct List: View {
  public init(@ViewBuilder content: () -> some View) {}
  public typealias Body = Never
}
public struct NavigationStack: View {
  public init(@ViewBuilder root: () -> some View) {}
  public typealias Body = Never
}
public struct Section: View {
  public init(@ViewBuilder content: () -> some View, @ViewBuilder header: () -> some View) {}
  public typealias Body = Never
}
public struct ForEach: View {
  public init<Data: RandomAccessCollection>(
    _ data: Data,
    @ViewBuilder content: @escaping (Data.Element) -> some View
  ) where Data.Element: Identifiable {}
  public typealias Body = Never
}
extension View {
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { AnyContent() }
  public func searchable(text: Binding<String>) -> some View { AnyContent() }
  public func navigationTitle(_ title: String) -> some View { AnyContent() }
  public func toolbar(@ViewBuilder content: () -> some View) -> some View { AnyContent() }
  public func onChange<V: Equatable>(of value: V, _ action: @escaping () -> Void) -> some View {
    AnyContent()
  }
}

public protocol DynamicProperty { mutating func update() }

// Pages Scene, ScenePhase, EnvironmentValues.scenePhase, Scene.onChange(of:initial:_:), WindowGroup,
// BackgroundTask.urlSession(_:) and Scene.backgroundTask(_:action:).
@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  @MainActor @preconcurrency var body: Body { get }
}
public struct AnyScene: Scene { public var body: AnyScene { fatalError() } }
public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: AnyScene { fatalError() }
}
public struct BackgroundTask<Request, Response>: Sendable {}
extension BackgroundTask where Request == Void, Response == Void {
  public static func urlSession(_ identifier: String) -> BackgroundTask { BackgroundTask() }
}
public enum ScenePhase: Comparable, Sendable { case background, inactive, active }
extension EnvironmentValues { public var scenePhase: ScenePhase { .active } }
extension Scene {
  public func onChange<V: Equatable>(
    of value: V,
    initial: Bool = false,
    _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
  ) -> some Scene { AnyScene() }
  public func backgroundTask<D: Sendable, R: Sendable>(
    _ task: BackgroundTask<D, R>,
    action: @escaping @Sendable (D) async -> R
  ) -> some Scene { AnyScene() }
}
