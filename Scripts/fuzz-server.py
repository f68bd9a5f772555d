#!/usr/bin/env python3
"""Holds a server against the OpenAPI document that it serves, by schemathesis: no 5xx, no answer that
the document does not have. It fails on the first deviation.

    Scripts/fuzz-server.py VARVE SCHEMATHESIS [--examples N] [--seed N]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_headers_conformance,response_schema_conformance"
)
HAT = {
    "op": "create",
    "type": "Hat",
    "id": "hat-1",
    "set": {"name": "fedora", "size": 7, "photo": {"data": "AAEC"}},
}


def prepare(address: str) -> None:
    """Makes spaces with something in them, so that not every answer is 404."""
    for space in ("hats", "a", "ended"):
        call("PUT", f"{address}/v1/spaces/{space}")
        call("POST", f"{address}/v1/spaces/{space}/operations", HAT)


def call(method: str, url: str, document: object = None) -> None:
    body = None if method == "GET" else b"" if document is None else json.dumps(document).encode()
    request = urllib.request.Request(url, data=body, method=method)
    request.add_header("Content-Type", "application/json")
    urllib.request.urlopen(request).read()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("varve", type=Path)
    parser.add_argument("schemathesis", type=Path)
    parser.add_argument("--examples", type=int, default=100, help="requests for each route")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [options.varve.resolve(), "serve", folder, "--open", "--port", "0", "--log-level", "error"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            address = server.stdout.readline().removeprefix("listening on ").strip()
            prepare(address)
            # Streams have no end: each request would last until its limit of time.
            result = subprocess.run(
                [
                    options.schemathesis.resolve(), "run", f"{address}/openapi.json",
                    "--checks", CHECKS, "--max-examples", str(options.examples),
                    "--seed", str(options.seed), "--exclude-path-regex", "/(live|changes)$",
                    "--phases", "coverage,fuzzing", "--request-timeout", "60", "--workers", "1",
                ],
                check=False,
                cwd=folder,
                env=os.environ | {"SCHEMATHESIS_HOOKS": "fuzz_hooks", "PYTHONPATH": str(HERE)},
            )
            call("GET", f"{address}/readyz")
            return result.returncode
        finally:
            server.terminate()
            status = server.wait(60)
            if status != 0:
                print(f"the server ended with {status}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
