import Testing
import VarveCore
import VarveSync
import VarveTestSupport

@Suite("The bytes on the wire")
struct WireTests {
  private let id = CommitID(
    replica: ReplicaID(high: 1, low: 2),
    sequence: 300,
    hash: .sha256([0])
  )

  private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test func `the bytes on the wire are those of the first format`() {
    let hello = Frame(
      session: 0x0102_0304_0506_0708,
      number: 0,
      kind: .hello,
      body: Message.hello(Hello(replica: ReplicaID(high: 1, low: 2), headCount: 3)).body
    )
    #expect(
      hexadecimal(hello.encoded) == """
        00000040fa73566d0102030405060708000176617276652073796e63010101\
        0000000000000001000000000000000200000000000000000000000000000000\
        0301020105
        """
    )
    let bodies: [(Message, String)] = [
      (.have([true, false, true, true, false, false, false, false, true]), "090d01"),
      (.plan(commitCount: 300), "ac02"),
      (.end(commitCount: 2, heldBackCount: 1), "0201"),
      (.error(code: "damaged", message: "é"), "0764616d6167656402c3a9"),
      (.goodbye, ""),
      (.data([1, 2, 3]), "010203"), (.given, ""),
      (
        .want([CommitRange(last: id, count: 200)]),
        """
        0100000000000000010000000000000002ac026e340b9cffb37a989ca544e6bb780a2c78901d\
        3fb33738768511a30617afa01dc801
        """
      ),
      (
        .outlines(Horizon(time: HybridTime(rawValue: 70_000), frontier: Frontier([id]))),
        """
        00000000000111700100000000000000010000000000000002ac026e340b9cffb37a989ca544\
        e6bb780a2c78901d3fb33738768511a30617afa01d
        """
      ),
    ]
    for (message, bytes) in bodies { #expect(hexadecimal(message.body) == bytes) }
    #expect(
      hexadecimal(Message.ack(byteCount: 5, commitCount: 1, heads: [id]).body) == """
        05010100000000000000010000000000000002ac026e340b9cffb37a989ca544e6bb780a2c\
        78901d3fb33738768511a30617afa01d
        """
    )
  }

  @Test func `the bytes on the wire have the meaning of the originals`() throws {
    let parked = Parked(commit: id, error: VarveError(.damaged, "why"))
    let messages: [Message] = [
      .hello(Hello(replica: ReplicaID(high: 1, low: 2), headCount: 3)), .heads([id]), .have([true]),
      .ask([id, id]), .answer([false, true]), .plan(commitCount: 7), .data([9]),
      .ack(byteCount: 5, commitCount: 1, heads: [id]), .end(commitCount: 2, heldBackCount: 1),
      .parked(parked), .waiting([Waiting(needed: id, commitCount: 4)]),
      .error(code: "damaged", message: "why"), .goodbye, .rest([id], isLast: true),
      .outlines(Horizon(time: HybridTime(rawValue: 70_000), frontier: Frontier([id]))),
      .want([CommitRange(last: id, count: 7)]), .given,
    ]
    for (number, message) in messages.enumerated() {
      let frame = Frame(
        session: .max,
        number: UInt64(number) << 40,
        kind: message.kind,
        body: message.body
      )
      let again = try Frame(encoded: frame.encoded)
      #expect(again == frame)
      #expect(try Message(again) == message)
    }
    #expect(Set(messages.map(\.kind)) == Set(Frame.Kind.allCases))
  }

  @Test func `the bytes on the wire are cut into frames wherever they are cut in between`() throws {
    let frames = (0..<20).map { number in
      let body = [UInt8](repeating: UInt8(number), count: number * 17)
      return Frame(session: 1, number: UInt64(number), kind: .data, body: body).encoded
    }
    for size in [1, 3, 64, 1_000_000] {
      var cutter = FrameCutter()
      var found: [[UInt8]] = []
      let bytes = frames.flatMap(\.self)
      for start in stride(from: 0, to: bytes.count, by: size) {
        cutter.add(bytes[start..<min(start + size, bytes.count)])
        while let frame = try cutter.next() { found.append(frame) }
      }
      #expect(found == frames)
      cutter.add(frames[0])
      #expect(try cutter.next() == frames[0])
    }
    var cutter = FrameCutter()
    cutter.add([0xFF, 0xFF, 0xFF, 0xFF, 0])
    #expect(throws: VarveError.self) { try cutter.next() }
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `the bytes on the wire never trap, whatever they are`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      var session = SyncSession(tag: 1)
      _ = session.start(
        replica: ReplicaID(high: 1, low: 1),
        summits: [id],
        frontier: Frontier([id])
      )
      for number in 0..<12 as Range<UInt64> {
        let frame = hostileFrame(number, &random)
        for action in session.receive(frame.encoded) {
          if case .lookUp(let ids, let purpose) = action {
            _ = session.handle(.lookedUp(random.chance(50) ? Set(ids) : [], purpose))
          }
        }
      }
      session.checkInvariants()
    }
  }

  /// The frame a session might expect, or anything at all in its place.
  private func hostileFrame(_ number: UInt64, _ random: inout SplitMix64) -> Frame {
    let hello = Hello(replica: ReplicaID(high: 2, low: 2), headCount: 1)
    let messages: [Message] = [.hello(hello), .heads([id]), .have([false]), .data([1, 2])]
    var frame = Frame(
      session: 2,
      number: number,
      kind: messages[min(Int(number), 3)].kind,
      body: messages[min(Int(number), 3)].body
    )
    guard number > 0, random.chance(50) else { return frame }
    frame.kind = random.chance(80) ? random.pick(Frame.Kind.allCases).rawValue : 77
    frame.body = (0..<Int.random(in: 0...60, using: &random)).map { _ in
      random.chance(50) ? 0 : UInt8(truncatingIfNeeded: random.next())
    }
    return frame
  }

  @Test func `the bytes on the wire are few for a small change`() async throws {
    let clock = TestClock()
    let (left, right) = (
      ReferenceBackend(wallMilliseconds: clock.reading()),
      ReferenceBackend(wallMilliseconds: clock.reading())
    )
    try await left.create("hat")
    for n in 0..<200 {
      clock.advance(by: 1)
      try await left.write([.set("hat", Assignment("size", .int(Int64(n))), time: nil)])
    }
    let (report, _) = try await synchronize(left, right)
    #expect(report.sentCount == 201)
    #expect(report.sentByteCount / 201 < 200, "\(report.sentByteCount / 201) bytes a change")
  }
}
