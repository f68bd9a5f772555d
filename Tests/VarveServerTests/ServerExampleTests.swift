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
      for i in $(seq 300); do grep -q listening address && break; sleep 0.1; done
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
}
