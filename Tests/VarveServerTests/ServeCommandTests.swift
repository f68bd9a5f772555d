#if CommandLine && Server
import Foundation
import Testing
import VarveTestSupport

/// `varve serve` as a process of its own.
@Suite struct ServeCommandTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The executable, which is beside the bundle of the tests.
  static let executable = "\(folder)/varve"

  /// The folder of the executables.
  static let folder: String = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let beside = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return beside.deletingLastPathComponent().path
  }()

  /// Runs a script in which `serve OPTION…` starts a server, `$url` is its address and `stop` ends
  /// it by a signal and prints its status.
  func shell(_ script: String) async throws -> (status: Int32, output: String) {
    let output = scratch.path("output")
    let text = """
      set -u
      cd '\(scratch.path)'
      varve() { '\(Self.executable)' "$@"; }
      serve() {
        '\(Self.executable)' serve stores --port 0 "$@" > address 2> errors & server=$!
        for i in $(seq 1200); do grep -qs listening address && break; sleep 0.1; done
        url=$(sed -n '1s/^listening on //p' address)
      }
      stop() { kill -s "$1" $server; wait $server; echo "ended with $?"; }
      mkdir stores
      { \(script)
      } > '\(output)' 2>&1
      """
    let file = scratch.path("script")
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let status = try await Served.aside {
      var child: pid_t = 0
      var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/bash"), strdup(file), nil]
      defer { for text in arguments { free(text) } }
      guard posix_spawn(&child, "/bin/bash", nil, nil, &arguments, environ) == 0 else {
        throw CocoaError(.fileReadUnknown)
      }
      var status: Int32 = 0
      while waitpid(child, &status, 0) == -1, errno == EINTR {}
      return status
    }
    return (status, try String(contentsOfFile: output, encoding: .utf8))
  }

  @Test(arguments: ["TERM", "INT"])
  func `the first line is the address, and a signal ends the server without losing anything`(
    signal: String
  ) async throws {
    let run = try await shell(
      """
      serve --open
      varve set laptop.varve hat-1 --type Hat color=red 2> /dev/null || {
        varve init laptop.varve; varve set laptop.varve hat-1 --type Hat color=red > /dev/null; }
      varve init stores/hats.varve
      varve sync laptop.varve "$url/v1/spaces/hats" | sed 's/^.*: //'
      varve sync phone.varve "$url/v1/spaces/hats" --create | sed 's/^.*: //'
      stop \(signal)
      varve get stores/hats.varve hat-1 color
      varve get phone.varve hat-1 color
      """
    )
    #expect(run.output.contains("0 commits received, 1 sent\n"), "\(run.output)")
    #expect(run.output.contains("1 commit received, 0 sent\n"), "\(run.output)")
    #expect(run.output.hasSuffix("ended with 0\nred\nred\n"), "\(run.output)")
  }

  @Test func `a server without tokens serves this computer only`() async throws {
    let run = try await shell(
      """
      varve serve stores --host 0.0.0.0; echo $?
      varve serve stores --open --host 0.0.0.0; echo $?
      varve serve none --open; echo $?
      """
    )
    #expect(run.output.contains("varve token create"))
    #expect(run.output.split(separator: "\n").filter { $0 == "64" }.count == 2, "\(run.output)")
    #expect(run.output.contains("notFound"))
  }

  @Test func `without any configuration, the browser that opens the printed link may enter`()
    async throws
  {
    let run = try await shell(
      """
      serve
      for i in $(seq 1200); do grep -qs '^open' address && break; sleep 0.1; done
      link=$(sed -n '2s/^open //p' address)
      status() { curl -s -o /dev/null -w '%{http_code}\\n' "$@"; }
      status "$url/v1/spaces"
      enter() {
        ticket='{"ticket":"'"${link##*=}"'"}'
        status "$@" -H 'Content-Type: application/json' -d "$ticket" "$url/v1/enter"
      }
      enter -c cookies
      curl -s -b cookies "$url/v1/spaces"
      enter
      status -b cookies -X PUT "$url/v1/spaces/hats"
      status -b cookies -X PUT -H 'Origin: http://elsewhere.example' "$url/v1/spaces/caps"
      status -b varve-session=0 "$url/v1/spaces"
      stop TERM
      """
    )
    #expect(
      run.output
        == """
        401
        204
        {"items":[],"next":null}
        401
        201
        403
        401
        ended with 0

        """
    )
  }

  @Test func `spaces are created, listed and ended by commands`() async throws {
    let run = try await shell(
      """
      serve --open
      varve space list "$url"
      id=$(varve space create "$url/hats" | sed 's/^hats: //')
      varve space list "$url" | tail -1 | sed "s/$id/ID/"
      varve init laptop.varve; varve set laptop.varve hat-1 --type Hat color=red > /dev/null
      varve sync laptop.varve "$url/hats" > /dev/null
      varve space end "$url/hats" --id 00000000-0000-4000-8000-000000000000 2>&1 | head -1
      varve space end "$url/hats" --id "$id"
      varve sync laptop.varve "$url/hats" 2>&1 | grep -c 'was ended at'
      ls stores
      stop TERM
      """
    )
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "no spaces", "\(run.output)")
    #expect(lines.contains("hats  admin  ID"), "\(run.output)")
    #expect(lines.contains { $0.contains("has another id") }, "\(run.output)")
    #expect(
      run.output.hasSuffix("ended hats, which had 1 commit\n1\nended.jsonl\nended with 0\n"),
      "\(run.output)"
    )
  }

  @Test func `a token made by the command enters the server until it is revoked`() async throws {
    let run = try await shell(
      """
      varve init stores/hats.varve; varve init laptop.varve
      varve token create laptop --in stores --grant hats=writer > token
      varve token list --in stores | tail -1
      serve
      varve sync laptop.varve "$url/v1/spaces/hats" | sed 's/^.*error: //'
      varve sync laptop.varve "$url/v1/spaces/hats" --token-file token | sed 's/^.*: //'
      varve token revoke laptop --in stores
      VARVE_TOKEN=$(cat token) varve sync laptop.varve "$url/v1/spaces/hats" --json
      stop TERM
      """
    )
    #expect(run.output.contains("hats=writer"), "\(run.output)")
    #expect(run.output.contains("0 commits received, 0 sent"), "\(run.output)")
    #expect(run.output.contains(#""code":"unauthorized""#), "\(run.output)")
    #expect(run.output.hasSuffix("ended with 0\n"), "\(run.output)")
  }

  @Test func `a request in flight is completed when the server is stopped`() async throws {
    let run = try await shell(
      """
      varve init stores/hats.varve
      serve --open
      port=${url##*:}
      measures() {
        exec 4<>/dev/tcp/127.0.0.1/$port
        printf 'GET /metrics HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n' >&4
        cat <&4
      }
      exec 3<>/dev/tcp/127.0.0.1/$port
      printf 'POST /v1/spaces/hats/operations HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n' >&3
      printf 'Content-Type: application/json\\r\\nContent-Length: 41\\r\\n\\r\\n' >&3
      printf '{"op":"create","type":"Hat",' >&3
      for i in $(seq 1200); do measures | grep -qs 'active_requests 2' && break; sleep 0.1; done
      kill -s TERM $server
      for i in $(seq 1200); do (exec 4<>/dev/tcp/127.0.0.1/$port) || break; sleep 0.1; done
      printf '"id":"hat-1"}' >&3
      head -1 <&3
      wait $server; echo "ended with $?"
      varve list stores/hats.varve Hat | grep -c hat-1
      """
    )
    #expect(run.output.contains("HTTP/1.1 200 OK"), "\(run.output)")
    #expect(run.output.hasSuffix("ended with 0\n1\n"), "\(run.output)")
  }

  @Test func `settings come from the command line before the environment before the file`()
    async throws
  {
    let run = try await shell(
      """
      echo '{"port": 1, "open": true, "names": ["hats.example"], "quota": {"requests": 5}}' > file
      VARVE_LOG_LEVEL=loud varve serve stores --config file --port 0; echo $?
      VARVE_PORT=many varve serve stores --config file; echo $?
      echo '{"prot": 1}' > wrong; varve serve stores --config wrong; echo $?
      varve serve stores --open --tls-certificate file; echo $?
      varve serve stores --jwt-keys file; echo $?
      for keys in http://login.example/keys HTTP://login.example/keys ftp://login.example/keys \
        http://127.0.0.1:80@login.example/keys https://ben@login.example/keys https://; do
        varve serve stores --jwt-keys $keys --jwt-issuer i --jwt-audience a; echo $?
      done
      export VARVE_LOG_LEVEL=error
      serve --config file
      echo "$url" | sed 's/:[0-9]*$//'
      stop TERM
      """
    )
    #expect(run.output.split(separator: "\n").filter { $0 == "64" }.count == 11, "\(run.output)")
    #expect(run.output.contains("there is no setting prot"), "\(run.output)")
    #expect(run.output.hasSuffix("http://127.0.0.1\nended with 0\n"), "\(run.output)")
  }
}
#endif
