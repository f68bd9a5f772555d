// What Varve uses of SwiftUI: developer.apple.com/documentation/swiftui, pages EnvironmentValues,
// Environment, State and DynamicProperty. The macro Entry cannot be declared without its plug-in: the check
// replaces its declarations by stored properties.
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
}

public protocol DynamicProperty { mutating func update() }
