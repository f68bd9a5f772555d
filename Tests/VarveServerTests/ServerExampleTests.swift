#if CommandLine && Server
import Testing

/// The examples of the server and its client, as processes.
@Suite struct ServerExampleTests {
  @Test func `two notebooks meet at a server, after each was used without it`() async throws {
    let run = try await ServeCommandTests().shell(
      """
      notebook() { '\(ServeCommandTests.folder)/field-notebook' "$@"; }
      notebook ana.varve add 'two herons' pond > /dev/null
      notebook ana.varve sync http://127.0.0.1:1/notes > /dev/null; echo $?
      serve --open
      varve space create "$url/notes" > /dev/null
      notebook ben.varve add 'a fox' > /dev/null
      notebook ana.varve sync "$url/notes"
      notebook ben.varve sync "$url/notes"
      id=$(notebook ben.varve list | grep heron | cut -d ' ' -f 1)
      notebook ben.varve edit "$id" 'three herons'
      notebook ben.varve sync "$url/notes"
      notebook ana.varve sync "$url/notes"
      notebook ana.varve list | cut -d ' ' -f 3-
      stop TERM
      """
    )
    #expect(
      run.output == """
        1
        sent 1, received 0
        sent 1, received 1
        sent 1, received 0
        sent 0, received 2
        three herons (pond)
        a fox
        ended with 0

        """
    )
  }

  @Test func `an application serves its own page beside the spaces`() async throws {
    let run = try await ServeCommandTests().shell(
      """
      '\(ServeCommandTests.folder)/mounted-routes' stores 0 > address 2> errors & server=$!
      for i in $(seq 1200); do grep -qs listening address && break; sleep 0.1; done
      url=$(sed -n '1s/^listening on //p' address)
      curl -s "$url/"
      curl -s -o /dev/null -w '%{http_code}\\n' -X PUT "$url/data/v1/spaces/hats"
      curl -s "$url/data/v1/spaces/hats/types"
      stop TERM
      """
    )
    #expect(
      run.output == """
        a page of the application
        201
        {"items":[]}
        ended with 0

        """
    )
  }

  @Test func `a page shows a shared inventory, and serves its space`() async throws {
    let run = try await ServeCommandTests().shell(
      """
      '\(ServeCommandTests.folder)/inventory-web' stores 0 > address 2> errors & server=$!
      for i in $(seq 1200); do grep -qs listening address && break; sleep 0.1; done
      url=$(sed -n '1s/^listening on //p' address)
      curl -s "$url/" | grep -o '<title>.*</title>'
      for file in page.css page.js; do curl -s -o /dev/null -w '%{http_code} %{content_type}\\n' "$url/$file"; done
      curl -s -o /dev/null -w '%{http_code}\\n' -X PUT "$url/data/v1/spaces/inventory"
      curl -s -o /dev/null -w '%{http_code}\\n' -X PUT "$url/data/v1/spaces/inventory"
      curl -s -o /dev/null -w '%{http_code}\\n' -H 'Host: elsewhere' "$url/data/v1/spaces/inventory"
      stop TERM
      """
    )
    #expect(
      run.output == """
        <title>Inventory</title>
        200 text/css
        200 text/javascript
        201
        200
        421
        ended with 0

        """
    )
  }

  @Test func `galaxies own their stars, and stars have tags, pages and a past`() async throws {
    let run = try await ServeCommandTests().shell(
      """
      '\(ServeCommandTests.folder)/galaxies' sky.varve 0 > address 2> errors & server=$!
      for i in $(seq 1200); do grep -qs listening address && break; sleep 0.1; done
      api=$(sed -n '1s/^listening on //p' address)/api
      send() { curl -s -X "$1" "$api/$2" -H 'Content-Type: application/json' -d "${3-}"; }
      id() { sed 's/.*"id":"\\([^"]*\\)".*/\\1/'; }
      status() { curl -s -o /dev/null -w '%{http_code}\\n' "$@"; }
      galaxy=$(send POST galaxies '{"name":"Milky Way"}' | id)
      star() { send POST stars "{\\"name\\":\\"$1\\",\\"galaxy\\":\\"$galaxy\\"}" | id; }
      sun=$(star Sun); vega=$(star Vega); rigel=$(star Rigel)
      hot=$(send POST tags '{"name":"hot"}' | id)
      status -X POST "$api/stars/$sun/tags/$hot"
      status -X POST "$api/stars/$vega/tags/$hot"
      status -X POST "$api/stars/$vega/tags/none"
      send GET "stars?tag=hot&galaxy=Milky%20Way" | grep -o '"name":"[A-Z][a-z]*"'
      first=$(send GET 'stars?size=2'); echo "$first" | grep -o '"name":"[A-Z][a-z]*"'
      mark=$(echo "$first" | sed 's/.*"next":"\\([^"]*\\)".*/\\1/')
      send GET "stars?size=2&after=$mark" | grep -o '"name":"[A-Z][a-z]*"'
      send GET "galaxies/$galaxy/stars" | grep -o '"name":"hot"' | wc -l
      status -X POST "$api/stars" -H 'Content-Type: application/json' \\
        -d "{\\"name\\":\\"Sun\\",\\"galaxy\\":\\"$galaxy\\"}"
      status "$api/stars/none"
      send PUT "stars/$sun" '{"name":"Sol"}' > /dev/null; send GET "stars/$sun/names"; echo
      send DELETE "stars/$vega/tags/$hot"
      status -X DELETE "$api/galaxies/$galaxy"
      send GET stars; echo; send GET 'stars?at=2000-01-01T00:00:00Z'; echo
      status -X POST "$api/galaxies/$galaxy/restore"
      send GET galaxies | grep -o '"name":"[A-Za-z ]*"' | sort | paste -sd ' '
      stop TERM
      """
    )
    #expect(
      run.output == """
        200
        200
        404
        "name":"Sun"
        "name":"Vega"
        "name":"Rigel"
        "name":"Sun"
        "name":"Vega"
        2
        422
        404
        ["Sol","Sun"]
        204
        {"stars":[]}
        {"stars":[]}
        200
        "name":"Milky Way" "name":"Rigel" "name":"Sol" "name":"Vega" "name":"hot"
        ended with 0

        """
    )
  }
}
#endif
