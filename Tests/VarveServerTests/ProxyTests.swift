#if CommandLine && Server
import Foundation
import Testing

/// The example configurations of reverse proxies, each with the proxy itself.
@Suite struct ProxyTests {
  @Test(.enabled(if: Self.has("nginx"), "nginx is not installed: make setup-proxies installs it"))
  func `nginx passes on large commits and announcements, and a client survives a restart`()
    async throws
  {
    try await passesOn(
      """
      {
        echo "daemon off; pid $PWD/pid; error_log $PWD/proxy.log; events {}"
        [ "$(id -u)" = 0 ] && echo 'user root;'
        echo 'http { access_log off;'
        for kind in client_body proxy fastcgi uwsgi scgi; do
          echo "${kind}_temp_path $PWD/$kind;"
        done
        sed "/ssl/{/listen/!d}; s/443 ssl/127.0.0.1:$front/; s/8642/$upstream/" \\
          '\(Self.examples)/nginx.conf'
        echo '}'
      } > proxy.conf
      nginx -p "$PWD" -c "$PWD/proxy.conf" 2> proxy.errors & proxy=$!
      """
    )
  }

  @Test(.enabled(if: Self.has("caddy"), "Caddy is not installed: make setup-proxies installs it"))
  func `Caddy passes on large commits and announcements, and a client survives a restart`()
    async throws
  {
    try await passesOn(
      """
      {
        printf '{\\n\\tadmin off\\n}\\n'
        sed "s|^varve.example.com|http://127.0.0.1:$front|; s/8642/$upstream/" \\
          '\(Self.examples)/Caddyfile'
      } > proxy.conf
      XDG_DATA_HOME=$PWD XDG_CONFIG_HOME=$PWD \\
        caddy run --config proxy.conf --adapter caddyfile 2> proxy.errors & proxy=$!
      """
    )
  }

  /// Synchronises stores through a proxy that a part of a script starts.
  private func passesOn(_ startingProxy: String) async throws {
    let run = try await ServeCommandTests().shell(
      """
      PATH=$PATH:/usr/sbin program='\(ServeCommandTests.executable)'
      free() {
        # The system gives these ports to no connection, so that a server can have its port again.
        echo $((20000 + RANDOM % 12000))
      }
      end() { kill -s TERM "$1" && wait "$1"; }
      begin() {
        # Without the function, so that a signal goes to the program.
        "$program" serve stores --port "$upstream" > address 2>> errors & server=$!
        for i in $(seq 1200); do grep -qs listening address && break; sleep 0.1; done
      }
      until_is() {
        for i in $(seq 1200); do
          [ "$(varve get "$1" hat-1 color 2> /dev/null)" = "$2" ] && break; sleep 0.1
        done
        varve get "$1" hat-1 color
      }
      upstream=$(free) front=$(free) url=http://127.0.0.1:$front
      trap 'kill $(jobs -p) 2> /dev/null' EXIT
      \(startingProxy)
      for i in $(seq 1200); do curl -s -o /dev/null "$url" && break; sleep 0.1; done
      curl -s -o /dev/null -w '%{http_code}\\n' "$url/v1"
      export VARVE_TOKEN=$(varve token create ops --in stores --grant '*=admin' --operator)
      begin
      varve space create "$url/hats" > /dev/null
      varve init laptop.varve > /dev/null
      head -c 3000000 /dev/urandom | base64 -w 0 > story
      { printf '{"op":"create","type":"Hat","id":"hat-1","set":{"story":"'; cat story
        printf '"}}\\n'; } | varve batch laptop.varve > /dev/null
      # The inspector is of the proxy's origin; pages of other sites are not let in.
      for origin in "$url" https://evil.example; do
        for body in '' '{"op":"frontier"}'; do
          set -- -H "Authorization: Bearer $VARVE_TOKEN" -H "Origin: $origin"
          path=/v1/spaces/hats
          if [ -n "$body" ]; then
            set -- "$@" -H 'Content-Type: application/json' -d "$body"
            path=$path/operations
          fi
          curl -s -o /dev/null -w '%{http_code} ' "$@" "$url$path"
        done
      done
      curl -s "$url/" | grep -c '<script'
      varve sync laptop.varve "$url/hats" | sed 's/^.*: //'
      varve sync phone.varve "$url/hats" --create | sed 's/^.*: //'
      varve get phone.varve hat-1 story | tr -d '\\n' | cmp - story && echo same
      "$program" sync phone.varve "$url/hats" --watch > watch 2>&1 &
      for i in $(seq 1200); do grep -qs live watch && break; sleep 0.1; done
      varve set laptop.varve hat-1 color=red > /dev/null
      varve sync laptop.varve "$url/hats" > /dev/null
      until_is phone.varve red
      end "$server"
      for i in $(seq 1200); do grep -qs offline watch && break; sleep 0.1; done
      grep -o -m 1 offline watch
      begin
      varve set laptop.varve hat-1 color=blue > /dev/null
      varve sync laptop.varve "$url/hats" > /dev/null
      until_is phone.varve blue
      """
    )
    #expect(
      run.output == """
        502
        200 200 403 403 1
        0 commits received, 1 sent
        1 commit received, 0 sent
        same
        red
        offline
        blue

        """
    )
  }

  /// The folder of the configurations.
  static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Examples/Server").standardizedFileURL.path

  private static func has(_ program: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin"]
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }
}
#endif
