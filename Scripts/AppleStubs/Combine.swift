// What Varve uses of Combine: developer.apple.com/documentation/combine, pages Publisher, Subscriber,
// Subscription, Subscribers.Demand and Subscribers.Completion.
public protocol Cancellable { func cancel() }

public protocol CustomCombineIdentifierConvertible {}

public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
  func request(_ demand: Subscribers.Demand)
}

public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
  associatedtype Input
  associatedtype Failure: Error
  func receive(subscription: any Subscription)
  func receive(_ input: Input) -> Subscribers.Demand
  func receive(completion: Subscribers.Completion<Failure>)
}

public protocol Publisher<Output, Failure> {
  associatedtype Output
  associatedtype Failure: Error
  func receive<S: Subscriber>(subscriber: S) where Failure == S.Failure, Output == S.Input
}

public enum Subscribers {
  public struct Demand: Equatable, Comparable, Hashable, Sendable {
    public static let unlimited = Demand()
    public static let none = Demand()
    public static func max(_ value: Int) -> Demand { Demand() }
    public var max: Int? { nil }
    public static func + (one: Demand, two: Demand) -> Demand { one }
    public static func += (one: inout Demand, two: Demand) {}
    public static func - (one: Demand, two: Demand) -> Demand { one }
    public static func -= (one: inout Demand, two: Demand) {}
    public static func - (one: Demand, two: Int) -> Demand { one }
    public static func -= (one: inout Demand, two: Int) {}
    public static func < (one: Demand, two: Demand) -> Bool { false }
    public static func > (one: Demand, two: Int) -> Bool { false }
    public static func == (one: Demand, two: Int) -> Bool { false }
  }

  public enum Completion<Failure: Error> {
    case finished
    case failure(Failure)
  }
}
