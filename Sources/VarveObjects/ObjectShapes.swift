import Synchronization
import VarveCore

/// The properties that classes read from their rows. All contexts share them, because backends
/// cache statements for a shape permanently.
enum ObjectShapes {
  private struct Learnt {
    var shape: RowShape
    var lessonCount = 1
  }

  /// The limit after which a class that reads different keys each time is given up.
  private static let mostLessons = 8
  private static let mostKeys = 256
  private static let learnt = Mutex<[ObjectIdentifier: Learnt]>([:])

  /// Returns the shape of a class's rows, after the empty key; nil for a class without a stable
  /// one.
  ///
  /// - Parameter keys: the properties that one of its objects has read.
  static func shape(of type: any StoredObject.Type, asking keys: [PropertyKey]) -> RowShape? {
    learnt.withLock { learnt in
      let id = ObjectIdentifier(type)
      let earlier = learnt[id]
      var columns = earlier?.shape.columns.map(\.key) ?? [""]
      for key in keys where !columns.contains(key) { columns.append(key) }
      if let earlier, earlier.shape.columns.count == columns.count { return earlier.shape }
      let lessonCount = (earlier?.lessonCount ?? 0) + 1
      guard lessonCount <= mostLessons, columns.count <= mostKeys else { return nil }
      let shape = RowShape(columns.map { RowShape.Column($0) })
      learnt[id] = Learnt(shape: shape, lessonCount: lessonCount)
      return shape
    }
  }
}
