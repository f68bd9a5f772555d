#if CommandLine && Server
import Testing

/// `varve inspect` as a process of its own.
@Suite struct InspectCommandTests {
  private let serving: ServeCommandTests

  init() throws { serving = try ServeCommandTests() }

  /// Runs a script in which `inspect OPTION…` starts an inspector of `hats.varve`, `$link` is its
  /// link, `request PATH [OPTION…]` prints a status, and `stop` ends it and prints its status.
  private func shell(_ script: String) async throws -> String {
    try await serving.shell(
      """
      inspect() {
        '\(ServeCommandTests.executable)' inspect "$@" > address 2> errors & server=$!
        for i in $(seq 1200); do grep -qs open address && break; sleep 0.1; done
        link=$(sed -n '1s/^open //p' address)
        url=${link%%/#*}
        ticket='{"ticket":"'"${link##*=}"'"}'
      }
      request() {
        local path=$1; shift
        curl -s -o reply -w '%{http_code}\\n' -H 'Content-Type: application/json' "$@" "$url$path"
      }
      varve init hats.varve > created
      varve set hats.varve hat-1 --type Hat color=red > written
      \(script)
      """
    ).output
  }

  private static let write =
    #"-d '{"op":"set","id":"hat-1","set":{"color":"blue"},"message":"from the page"}'"#

  @Test func `the first line is a link of this computer, and what it opens is read-only`()
    async throws
  {
    let output = try await shell(
      """
      inspect hats.varve
      echo "$url" | sed 's/:[0-9]*$/:PORT/'
      request /v1/spaces
      request /v1/enter -d "$ticket" -c cookies
      request /v1/spaces/hats -b cookies
      request /v1/spaces/hats/operations -b cookies \(Self.write)
      grep -o 'needs the role writer' reply
      request / -H 'Host: evil.example'
      stop TERM
      varve get hats.varve hat-1 color
      """
    )
    #expect(
      output
        == """
        http://127.0.0.1:PORT
        401
        204
        200
        403
        needs the role writer
        421
        ended with 0
        red

        """
    )
  }

  @Test func `--read-only states the default, and excludes --write`() async throws {
    let output = try await shell(
      """
      inspect hats.varve --read-only
      request /v1/enter -d "$ticket" -c cookies
      request /v1/spaces/hats/operations -b cookies \(Self.write)
      stop TERM
      varve inspect hats.varve --read-only --write; echo $?
      """
    )
    let lines = output.split(separator: "\n")
    #expect(lines.prefix(3) == ["204", "403", "ended with 0"], "\(output)")
    #expect(lines.last == "64", "\(output)")
    #expect(output.contains("--read-only and --write exclude each other."), "\(output)")
  }

  @Test func `with --write the page writes under the author of the command`() async throws {
    let output = try await shell(
      """
      inspect hats.varve --write --author sam
      request /v1/enter -d "$ticket" -c cookies
      request /v1/spaces/hats/operations -b cookies \(Self.write)
      stop INT
      varve history hats.varve hat-1 color --csv | sed -n 2p | cut -d, -f6-8
      varve inspect hats.varve --author sam; echo $?
      varve inspect none.varve; echo $?
      """
    )
    let lines = output.split(separator: "\n")
    #expect(lines.prefix(3) == ["204", "200", "ended with 0"], "\(output)")
    #expect(lines.dropFirst(3).first == "blue,sam,from the page", "\(output)")
    #expect(lines.filter { $0 == "64" }.count == 1, "\(output)")
    #expect(output.contains("notFound"), "\(output)")
  }
}
#endif
