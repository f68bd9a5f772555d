import Synchronization
import VarveCore

/// What classes ask their rows for. All contexts share it, as backends keep what they prepare for a
/// shape for good.
enum ObjectShapes {
  private struct Learnt {
    var shape: RowShape
    var lessonCount = 1
  }

  /// A class that asks for other keys each time is not learnt.
  private static let mostLessons = 8
  private static let mostKeys = 256
  private static let learnt = Mutex<[ObjectIdentifier: Learnt]>([:])

  /// The shape of a class's rows, after the empty key; nil for a class that cannot be learnt.
  ///
  /// - Parameter keys: what one of its objects has asked for.
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
