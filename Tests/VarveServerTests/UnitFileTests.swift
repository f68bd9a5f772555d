#if CommandLine && Server
import Foundation
import Testing

/// The example unit file for systemd.
@Suite struct UnitFileTests {
  private static let path = "\(ProxyTests.examples)/varve.service"

  private func unit() throws -> String { try String(contentsOfFile: Self.path, encoding: .utf8) }

  /// Returns the values of a key, in order.
  private func values(_ key: String) throws -> [String] {
    try unit().split(separator: "\n").filter { $0.hasPrefix("\(key)=") }
      .map { String($0.dropFirst(key.count + 1)) }
  }

  @Test func `each line is a setting of a section`() throws {
    var sections: [String] = []
    for line in try unit().split(separator: "\n") where !line.hasPrefix("#") {
      if line.hasPrefix("[") {
        sections.append(String(line))
      } else {
        #expect(line.contains(/^[A-Z][A-Za-z]+=\S/), "\(line)")
        #expect(!sections.isEmpty)
      }
    }
    #expect(sections == ["[Unit]", "[Service]", "[Install]"])
    #expect(try values("ExecStart").count == 1)
  }

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze"),
      "systemd is not installed"
    )
  )
  func `systemd knows every setting`() async throws {
    let run = try await ServeCommandTests().shell(
      """
      sed 's|/usr/local/bin/varve|\(ServeCommandTests.executable)|' '\(Self.path)' > varve.service
      systemd-analyze verify ./varve.service; echo "ended with $?"
      sed 's/^Restart=/Restrat=/' varve.service > wrong.service
      systemd-analyze verify ./wrong.service
      """
    )
    // Lines about other units of this computer are not meant.
    let lines = run.output.split(separator: "\n").filter { $0.contains("varve.service") }
    #expect(lines.isEmpty, "\(run.output)")
    #expect(run.output.contains("ended with 0"), "\(run.output)")
    #expect(run.output.contains("wrong.service:") && run.output.contains("Restrat"))
  }

  @Test func `its command serves, and completes a request that is under way when it is stopped`()
    async throws
  {
    let patience = try #require(try values("TimeoutStopSec").first.flatMap { Int($0) })
    // The server gives up what is under way after 30 seconds; only then may it be killed.
    #expect(patience > 30)
    #expect(try values("KillSignal") == [], "the default is SIGTERM")
    let start = try #require(try values("ExecStart").first)
    #expect(start.hasPrefix("/usr/local/bin/varve serve /var/lib/varve "))
    let command = start.replacing(
      "/usr/local/bin/varve ",
      with: "'\(ServeCommandTests.executable)' "
    )
    .replacing("/var/lib/varve", with: "stores").replacing("--port 8642", with: "--port 0")
    let comment = try #require(try unit().firstMatch(of: /varve (token create .*)/)).1
      .replacing("/var/lib/varve", with: "stores")
    let run = try await ServeCommandTests().shell(
      """
      umask \(try #require(try values("UMask").first))
      varve \(comment) > token
      \(command) > address 2> errors & server=$!
      for i in $(seq 1200); do grep -qs listening address && break; sleep 0.1; done
      url=$(sed -n '1s/^listening on //p' address)
      export VARVE_TOKEN=$(cat token)
      varve space create "$url/hats" > made
      {
        echo '{"op":"create","type":"Hat","id":"hat-1"}'
        for i in $(seq 1200); do grep -qs stopping stage && break; sleep 0.1; done
        echo '{"op":"create","type":"Hat","id":"hat-2"}'
      } | curl -sS -N -T . -X POST -H "Authorization: Bearer $VARVE_TOKEN" \\
        -H 'Content-Type: application/x-ndjson' "$url/v1/spaces/hats/operations" > replies &
      client=$!
      touch stage
      for i in $(seq 1200); do grep -qs hat-1 replies && break; sleep 0.1; done
      kill -s TERM $server
      sleep 0.3
      echo stopping > stage
      wait $client; echo "client $?"
      wait $server; echo "server $?"
      grep -c '"ok":true' replies
      varve get stores/hats.varve hat-2 --json
      ls -l stores | grep -c -- '-rw-------'
      """
    )
    #expect(run.output.contains("client 0\nserver 0\n2\n"), "\(run.output)")
    #expect(run.output.contains(#""hat-2""#), "\(run.output)")
    #expect(!run.output.contains("\n0\n"), "\(run.output)")
  }
}
#endif
