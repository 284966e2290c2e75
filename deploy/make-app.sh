#!/bin/sh
# make-app.sh <folder>: builds this version, puts it into a new folder below <folder>, with its own Node, and lets
# <folder>/current lead there. A server that runs is not touched: restart it afterwards. The version before stays as
# <folder>/previous; older ones are removed.
set -eu
[ $# -eq 1 ] || { echo 'usage: make-app.sh <folder>' >&2 && exit 2; }
mkdir -p "$1"
folder=$(realpath "$1")
cd "$(dirname "$(realpath "$0")")/.."

version=$(node -p 'require("./package.json").version')
name=$version-$(date -u +%Y%m%d%H%M%S)
node tools/release/server-bundle.mjs "$folder/$name" "$(node -p '`${process.platform}-${process.arch}`')"
# An account without rights runs it, whatever the umask here is.
chmod -R u=rwX,go=rX "$folder/$name"
"$folder/$name/bin/furoshiki-admin" --help >/dev/null

# Renaming a link replaces the one before in one step.
lead() {
	ln -s "$2" "$folder/.$1.$$"
	mv -T "$folder/.$1.$$" "$folder/$1"
}
if [ -e "$folder/current" ]; then lead previous "$(readlink "$folder/current")"; fi
lead current "$name"

for old in "$folder"/*-??????????????; do
	case $(basename "$old") in
	"$name" | "$(readlink "$folder/previous")") ;;
	*) if [ -e "$old/server.mjs" ]; then rm -rf "$old"; fi ;;
	esac
done
echo "$folder/current is $name. If a server runs: systemctl restart furoshiki"
