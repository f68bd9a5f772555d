#if CommandLine && Server
import Testing
import VarveTestSupport

@Suite(.timeLimit(.minutes(5))) struct SyncWatchTests {
  @Test func `sync --watch prints exchanges, conflicts and their end, each with the time`()
    async throws
  {
    let run = try await ServeCommandTests().shell(
      """
      serve --open
      until_says() { for i in $(seq 1200); do grep -qs "$1" "$2" && break; sleep 0.1; done; }
      space=$url/v1/spaces/hats
      varve init stores/hats.varve > /dev/null
      varve init laptop.varve > /dev/null
      varve set laptop.varve hat-1 --type Hat color=red > /dev/null
      varve sync laptop.varve "$space" > /dev/null
      varve sync phone.varve "$space" --create > /dev/null
      varve set laptop.varve hat-1 color=blue --author ana > /dev/null
      varve sync laptop.varve "$space" > /dev/null
      varve set phone.varve hat-1 color=green --author sam > /dev/null
      '\(ServeCommandTests.executable)' sync phone.varve "$space" --watch > people 2>&1 & people=$!
      until_says live people
      '\(ServeCommandTests.executable)' sync tablet.varve "$space" --create --watch --json \
        > programs 2>&1 & programs=$!
      until_says '"live"' programs
      varve sync laptop.varve "$space" > /dev/null
      varve set laptop.varve hat-1 color=grey > /dev/null
      varve sync laptop.varve "$space" > /dev/null
      until_says settled people
      until_says '"settled":1' programs
      kill $people $programs
      stop TERM
      time='[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}'
      sed -E "s/^$time  /at  /; s#$space#there#" people | grep -v -e connecting -e offline
      grep -v -e connecting -e offline programs | grep -c -v -E '"time":"[0-9-]+T[0-9:.]+Z"'
      grep -o -E '"event":"exchange","received":[0-9]+,"sent":[0-9]+' programs
      grep -o -E '"event":"conflicts","new":[[]([{]"kind":"value"|[]])' programs
      grep -o -E '"settled":.*' programs
      """
    )
    #expect(
      run.output == """
        ended with 0
        at  phone.varve ↔ there: 1 commit received, 1 sent
        at  conflict: hat-1 color: green by sam, blue by ana
        at  live
        at  phone.varve ↔ there: 1 commit received, 0 sent
        at  1 conflict settled
        0
        "event":"exchange","received":3,"sent":0
        "event":"exchange","received":1,"sent":0
        "event":"conflicts","new":[{"kind":"value"
        "event":"conflicts","new":[]
        "settled":0,"count":1}}
        "settled":1,"count":0}}

        """,
      "\(run.output)"
    )
  }
}
#endif
