#!/usr/bin/env bash
# Makes what a release consists of in a folder: the source archive, a stripped program with a static Swift
# runtime, a Debian package of it, a container file, the list of components, and checksums.
# Arguments: the version; --binary PROGRAM to pack one that is built already; --to FOLDER (.build/release-VERSION).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${1:?release: name the version, such as 0.9.0}
shift
binary="" folder=.build/release-$version
while [[ $# -gt 0 ]]; do
  case $1 in
    --binary) binary=$2 ;;
    --to) folder=$2 ;;
    *) echo "release: unknown option $1" >&2; exit 64 ;;
  esac
  shift 2
done
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] ||
  { echo "release: $version is no version such as 0.9.0 or 0.9.0-rc.1" >&2; exit 64; }

# A version such as 0.9.0-rc.1 comes before 0.9.0.
debian_version=${version/-/\~}

flags=(-c release --traits "CommandLine,Server,YAML" --static-swift-stdlib)
if [[ -z $binary ]]; then
  swift build "${flags[@]}" --product varve
  binary=$(swift build "${flags[@]}" --show-bin-path)/varve
fi
printed=$("$binary" --version)
[[ $printed == "varve $version" ]] ||
  { echo "release: the program says '$printed': write $version into VarveVersion.swift, and commit it" >&2; exit 1; }
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
machine=$(uname -m)

say() { printf 'release: %s\n' "$*"; }

make_source() {
  git archive --format=tar.gz --prefix="varve-$version/" --output "$folder/varve-$version.tar.gz" HEAD
}

make_program() {
  Scripts/install.sh "$binary" "$work/varve-$version"
  strip "$work/varve-$version/bin/varve"
  cp LICENSE "$work/varve-$version/"
  tar -C "$work" -czf "$folder/varve-$version-linux-$machine.tar.gz" "varve-$version"
}

# The packages of Debian that have the libraries which the program loads, each at least as new as here.
debian_dependencies() {
  local library path package
  readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | while read -r library; do
    path=$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')
    path=$(readlink -f "${path:-/$library}")
    # Packages name files as they were before /lib became a link to /usr/lib.
    package=$(dpkg -S "$path" 2>/dev/null || dpkg -S "${path#/usr}" 2>/dev/null) ||
      { say "no package has $library: build with --static-swift-stdlib" >&2; return 1; }
    package=$(head -1 <<<"$package" | cut -d: -f1)
    printf '%s (>= %s)\n' "$package" "$(dpkg-query -W -f '${Version}' "$package" | head -1 |
      sed 's/-[^-]*$//; s/^[0-9]*://')"
  done | sort -u | paste -sd, | sed 's/,/, /g'
}

make_debian() {
  local root=$work/debian
  Scripts/install.sh "$binary" "$root/usr"
  strip "$root/usr/bin/varve"
  gzip -9n "$root/usr/share/man/man1/varve.1"
  # Debian's zsh looks for the completions of packages here.
  mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
  install -D -m 644 LICENSE "$root/usr/share/doc/varve/copyright"
  local dependencies
  dependencies=$(debian_dependencies "$root/usr/bin/varve")
  mkdir -p "$root/DEBIAN"
  cat >"$root/DEBIAN/control" <<CONTROL
Package: varve
Version: $debian_version
Architecture: $(dpkg --print-architecture)
Maintainer: The Varve project <varve@example.com>
Depends: $dependencies
Section: database
Priority: optional
Description: object store in which nothing is ever overwritten
 Every value that a property ever had stays readable, with the time and the
 author of the change. Copies of a store, edited apart, merge and end up equal.
CONTROL
  dpkg-deb --root-owner-group --build "$root" "$folder/varve_${debian_version}_$(dpkg --print-architecture).deb" >/dev/null
}

make_container_file() {
  cat >"$folder/Containerfile" <<CONTAINER
# docker build -f Containerfile -t varve .
FROM debian:bookworm-slim
COPY varve_${debian_version}_$(dpkg --print-architecture).deb /tmp/varve.deb
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/varve.deb \\
  && rm -rf /tmp/varve.deb /var/lib/apt/lists/* && useradd --system --create-home varve
USER varve
WORKDIR /home/varve
ENTRYPOINT ["varve"]
CONTAINER
}

make_source
make_program
make_debian
make_container_file
Scripts/sbom.py "$version" "$folder/varve-$version.cdx.json"
(cd "$folder" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum >SHA256SUMS)
(cd "$folder" && wc -c -- * | sed 's/^/release: /')
say "done: $folder"
