import Foundation

/// A sequence of values in flat memory, which is copied and freed without reference counting.
///
/// A value of up to eight bytes is stored in its slot; texts and bytes are stored in one buffer, to
/// which the slots refer.
package struct PackedValues: Sendable {
  /// The representation of a value in its slot.
  package enum Form: UInt8, Sendable {
    case nothing, bool, int, double, string, date, data
    /// A reference to an identifier that is a UUID of sixteen bytes.
    case uuid
    /// A reference to an identifier that is a text.
    case name
    /// An array or a dictionary, which is stored in `nested`.
    case nested

    /// Whether the content is in the buffer.
    fileprivate var hasBytes: Bool {
      switch self {
      case .nothing, .bool, .int, .double, .date, .nested: false
      case .string, .data, .uuid, .name: true
      }
    }
  }

  /// One value, or none.
  package struct Slot: Sendable {
    /// The value, or its offset in the buffer, or its index in `nested`.
    package var bits: UInt64
    /// The number of bytes in the buffer.
    package var byteCount: UInt32
    package var form: Form

    @inlinable
    package init(bits: UInt64, byteCount: UInt32, form: Form) {
      self.bits = bits
      self.byteCount = byteCount
      self.form = form
    }
  }

  @usableFromInline var slots: [Slot] = []
  @usableFromInline var bytes: [UInt8] = []
  @usableFromInline var nested: [Value] = []

  package init() {}

  /// Creates a sequence of the given length without values.
  package init(nothings count: Int) {
    slots = Array(repeating: Slot(bits: 0, byteCount: 0, form: .nothing), count: count)
  }

  package init(_ values: some Collection<Value?>) {
    slots.reserveCapacity(values.count)
    for value in values { append(value) }
  }

  package mutating func reserveCapacity(_ count: Int) { slots.reserveCapacity(count) }

  /// Reserves room for values and the bytes of their texts.
  package mutating func reserveCapacity(_ count: Int, byteCount: Int) {
    slots.reserveCapacity(count)
    bytes.reserveCapacity(byteCount)
  }

  /// Appends empty slots.
  package mutating func append(nothings count: Int) {
    for _ in 0..<count { slots.append(Slot(bits: 0, byteCount: 0, form: .nothing)) }
  }

  package mutating func removeAll() {
    slots.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    nested.removeAll()
  }

  /// Appends a value, or an empty slot for nil.
  package mutating func append(_ value: Value?) { slots.append(slot(for: value)) }

  /// Appends a range of another sequence.
  ///
  /// - Complexity: one copy of the bytes if they were appended in this order.
  package mutating func append(_ range: Range<Int>, of other: PackedValues) {
    guard let run = other.run(of: range) else {
      for index in range { append(other[index]) }
      return
    }
    let distance = UInt64(bytes.count) &- UInt64(run.lowerBound)
    let first = slots.count
    other.withStorage { others, contents in
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: contents[run]))
      slots.append(contentsOf: UnsafeBufferPointer(rebasing: others[range]))
    }
    slots.withUnsafeMutableBufferPointer { slots in
      for index in first..<slots.count where slots[index].form.hasBytes {
        slots[index].bits &+= distance
      }
    }
  }

  /// Returns the range of some values' bytes if they are contiguous; nil if they are not, or if an
  /// array or a dictionary is among the values.
  private func run(of range: Range<Int>) -> Range<Int>? {
    slots.withUnsafeBufferPointer { slots in
      var (start, end) = (0, 0)
      var isBegun = false
      for slot in UnsafeBufferPointer(rebasing: slots[range]) {
        if slot.form == .nested { return nil }
        guard slot.form.hasBytes else { continue }
        let place = Int(slot.bits)
        if !isBegun {
          (isBegun, start) = (true, place)
        } else if place != end {
          return nil
        }
        end = place + Int(slot.byteCount)
      }
      return start..<end
    }
  }

  /// Removes the last values; their bytes remain in the buffer, unused.
  package mutating func removeLast(_ count: Int) { slots.removeLast(count) }

  /// Sets a slot to a text of valid UTF-8.
  @inlinable
  package mutating func set(_ index: Int, text: UnsafeRawBufferPointer) {
    let start = bytes.count
    bytes.append(contentsOf: text)
    slots[index] = Slot(bits: UInt64(start), byteCount: UInt32(text.count), form: .string)
  }

  /// Sets a slot to an integer.
  @inlinable
  package mutating func set(_ index: Int, int value: Int64) {
    slots[index] = Slot(bits: UInt64(bitPattern: value), byteCount: 0, form: .int)
  }

  /// Sets a slot to a number.
  @inlinable
  package mutating func set(_ index: Int, double value: Double) {
    slots[index] = Slot(bits: value.bitPattern, byteCount: 0, form: .double)
  }

  /// Sets a slot to a truth value.
  @inlinable
  package mutating func set(_ index: Int, bool value: Bool) {
    slots[index] = Slot(bits: value ? 1 : 0, byteCount: 0, form: .bool)
  }

  /// The number of bytes of texts and data.
  package var contentByteCount: Int { bytes.count }

  private mutating func slot(for value: Value?) -> Slot {
    guard let value else { return Slot(bits: 0, byteCount: 0, form: .nothing) }
    switch value {
    case .bool(let value): return Slot(bits: value ? 1 : 0, byteCount: 0, form: .bool)
    case .int(let value): return Slot(bits: UInt64(bitPattern: value), byteCount: 0, form: .int)
    case .double(let value): return Slot(bits: value.bitPattern, byteCount: 0, form: .double)
    case .date(let value):
      let seconds = value.timeIntervalSinceReferenceDate
      return Slot(bits: seconds.bitPattern, byteCount: 0, form: .date)
    case .string(let value): return slot(.string, text: value)
    case .data(let value): return value.withUnsafeBytes { slot(.data, $0) }
    case .reference(let id):
      switch id.storage {
      case .uuid(let high, let low):
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { slot(.uuid, $0) }
      case .text(let text): return slot(.name, text: text)
      }
    case .array, .dictionary:
      nested.append(value)
      return Slot(bits: UInt64(nested.count - 1), byteCount: 0, form: .nested)
    }
  }

  private mutating func slot(_ form: Form, text: String) -> Slot {
    var text = text
    return text.withUTF8 { slot(form, UnsafeRawBufferPointer($0)) }
  }

  private mutating func slot(_ form: Form, _ content: UnsafeRawBufferPointer) -> Slot {
    let start = bytes.count
    bytes.append(contentsOf: content)
    return Slot(bits: UInt64(start), byteCount: UInt32(content.count), form: form)
  }
}

extension PackedValues.Slot {
  /// Returns the bytes of a text, of data or of an identifier in the buffer.
  @inlinable
  package func content(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = Int(bits)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<start + Int(byteCount)])
  }

  @inlinable package var int: Int64 { Int64(bitPattern: bits) }
  @inlinable package var double: Double { Double(bitPattern: bits) }

  /// The kind of value, if the form determines it.
  @inlinable
  package var kind: Value.Kind? {
    switch form {
    case .nothing, .nested: nil
    case .bool: .bool
    case .int: .int
    case .double: .double
    case .string: .string
    case .date: .date
    case .data: .data
    case .uuid, .name: .reference
    }
  }

  /// As ``Value/byteCountEstimate(depth:)``, if the form determines it.
  @inlinable
  package var byteCountEstimate: Int {
    switch form {
    case .nothing, .nested: 0
    case .bool: 1
    case .int: 6
    case .double, .date: 9
    case .string, .data, .name: Int(byteCount) + 3
    case .uuid: 18
    }
  }
}

extension PackedValues.Slot {
  /// Returns whether a reference is one to an identifier.
  package func refers(to id: EntityID, in bytes: UnsafeRawBufferPointer) -> Bool {
    let content = content(in: bytes)
    switch id.storage {
    case .uuid: return form == .uuid && EntityID(uuid: content) == id
    case .text(let text): return form == .name && text.utf8.elementsEqual(content)
    }
  }
}

extension PackedValues: RandomAccessCollection, MutableCollection, ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: Value?...) { self.init(elements) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { slots.count }

  package subscript(index: Int) -> Value? {
    get {
      let slot = slots[index]
      return bytes.withUnsafeBytes { bytes in
        switch slot.form {
        case .nothing: nil
        case .bool: .bool(slot.bits != 0)
        case .int: .int(slot.int)
        case .double: .double(slot.double)
        case .date: .date(Date(timeIntervalSinceReferenceDate: slot.double))
        case .string: .string(String(decoding: slot.content(in: bytes), as: UTF8.self))
        case .data: .data(Data(slot.content(in: bytes)))
        case .uuid: .reference(EntityID(uuid: slot.content(in: bytes)))
        case .name:
          .reference(
            EntityID(storage: .text(String(decoding: slot.content(in: bytes), as: UTF8.self)))
          )
        case .nested: nested[Int(slot.bits)]
        }
      }
    }
    set { slots[index] = slot(for: newValue) }
  }

  /// Calls a closure with the slots and the buffer they refer to.
  @inlinable
  package func withStorage<Result>(
    _ body: (UnsafeBufferPointer<Slot>, UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try slots.withUnsafeBufferPointer { slots in
      try bytes.withUnsafeBytes { try body(slots, $0) }
    }
  }

  /// Returns the kind of a value; nil for an empty slot.
  @inlinable @inline(__always)
  package func kind(at index: Int) -> Value.Kind? {
    let slot = slots[index]
    return slot.form == .nested ? nested[Int(slot.bits)].kind : slot.kind
  }

  /// Returns the size of a value's encoding to within a few bytes, or nil if it is nested too deep.
  @inlinable @inline(__always)
  package func byteCountEstimate(at index: Int) -> Int? {
    let slot = slots[index]
    guard slot.form == .nested else { return slot.byteCountEstimate }
    return nested[Int(slot.bits)].byteCountEstimate()
  }

  /// Returns the sum of the sizes of values, where those nested too deep count nothing.
  package func byteCountEstimate(of range: Range<Int>) -> Int {
    slots.withUnsafeBufferPointer { slots in
      var sum = 0
      for slot in UnsafeBufferPointer(rebasing: slots[range]) {
        sum += slot.byteCountEstimate
        if slot.form == .nested { sum += nested[Int(slot.bits)].byteCountEstimate() ?? 0 }
      }
      return sum
    }
  }
}

extension PackedValues {
  /// The approximate size of the encoding, without arrays and dictionaries.
  var byteCountEstimate: Int { slots.count * 4 + bytes.count }
}

extension PackedValues: Hashable {
  package static func == (left: PackedValues, right: PackedValues) -> Bool {
    left.elementsEqual(right)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for value in self { hasher.combine(value) }
  }
}

extension ByteWriter {
  /// Appends the content of a packed value, as ``content(of:)`` does; an empty slot appends
  /// nothing.
  mutating func content(of values: PackedValues, at index: Int) {
    let slot = values.slots[index]
    switch slot.form {
    case .nothing: break
    case .bool: byte(UInt8(truncatingIfNeeded: slot.bits))
    case .int: signed(slot.int)
    case .double, .date: fixed(slot.bits)
    case .string, .data, .name:
      varint(UInt64(slot.byteCount))
      values.bytes.withUnsafeBytes { raw(slot.content(in: $0)) }
    case .uuid:
      byte(0)
      values.bytes.withUnsafeBytes { raw(slot.content(in: $0)) }
    case .nested: if let value = values[index] { content(of: value) }
    }
  }
}
