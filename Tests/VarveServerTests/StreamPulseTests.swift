#if CommandLine && Server
import Foundation
import Testing
import VarveServer

/// When streams are woken.
@Suite(.timeLimit(.minutes(1))) struct StreamPulseTests {
  @Test func `each stream is reviewed soon after it was opened, also beside older ones`()
    async throws
  {
    // Rights that were lost while a stream was opened show in no difference of the revision.
    let pulse = StreamPulse(every: .seconds(3_600), now: { Date() }, revision: { 7 })
    for _ in 0..<2 {
      let (wakes, waker) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let stream = pulse.add(waker, until: nil)
      var iterator = wakes.makeAsyncIterator()
      await iterator.next()
      #expect(pulse.take(stream) == .look)
    }
  }
}
#endif
