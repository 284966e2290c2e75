#!/bin/sh
# install.sh <address of a release> <its public key, a file> [folder]: installs the command line client after it has checked the
# signature. The default folder is ~/.local/bin. It needs curl, OpenSSL 3, sha256sum or shasum, and tar.
set -eu
fail() {
	echo "install.sh: $*" >&2
	exit 1
}
[ $# -ge 2 ] || fail 'usage: install.sh <address of a release> <public key> [folder]'
release=$1
key=$2
folder=${3:-$HOME/.local/bin}
case $(uname -sm) in
'Linux x86_64') platform=linux-x64 ;;
'Linux aarch64') platform=linux-arm64 ;;
'Darwin arm64') platform=darwin-arm64 ;;
*) fail "there is no executable for $(uname -sm). With Node 20.12 or newer: npm install --global furoshiki-cli" ;;
esac
[ -r "$key" ] || fail "cannot read the public key $key"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
get() {
	curl --fail --silent --show-error --location --proto '=https,file' --output "$scratch/$1" "$release/$1" ||
		fail "cannot download $1"
}
get SHA256SUMS
get SHA256SUMS.sig
openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$scratch/SHA256SUMS" -sigfile "$scratch/SHA256SUMS.sig" \
	>"$scratch/verified" 2>&1 || fail 'the signature is wrong: nothing was installed'
archive=$(sed -n "s/^[0-9a-f]\{64\}  \(furoshiki-cli-[0-9.]*-$platform\.tar\.gz\)$/\1/p" "$scratch/SHA256SUMS")
[ -n "$archive" ] || fail "this release has no executable for $platform"
get "$archive"
sums=sha256sum
command -v "$sums" >/dev/null || sums='shasum -a 256'
(cd "$scratch" && grep "  $archive\$" SHA256SUMS | $sums --check --strict --status) ||
	fail "$archive is not the one that was signed: nothing was installed"
tar -xzf "$scratch/$archive" -C "$scratch"
mkdir -p "$folder"
# A program that runs cannot be written, but replaced.
cp "$scratch/${archive%.tar.gz}/furoshiki" "$folder/.furoshiki.new"
mv -f "$folder/.furoshiki.new" "$folder/furoshiki"
echo "Installed: $folder/furoshiki"
