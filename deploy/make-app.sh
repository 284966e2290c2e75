#!/bin/sh
# make-app.sh <source> <target>: builds the web app in <source> and copies what a server needs to run into <target>: its
# own Node, the server's sources, their dependencies, the built web app and the bill of materials. It replaces the result of an earlier run.
# Used by the Containerfile.
set -eu
source=$(realpath "$1")
target=$(realpath -m "$2")
# The target is emptied below, so refuse a folder that an earlier run did not make: it could hold sources or user files.
if [ "$target" = "$source" ] || [ -e "$target/.git" ] ||
	{ [ -n "$(ls -A "$target" 2>/dev/null)" ] && [ ! -e "$target/apps/server/src/main.ts" ]; }; then
	echo "make-app.sh: $target contains other files: choose another folder" >&2
	exit 1
fi

cd "$source"
node scripts/build.mjs

rm -rf "$target/apps" "$target/packages" "$target/node_modules" "$target/bin"
mkdir -p "$target/bin" "$target/apps/web" "$target/packages"
cp package.json package-lock.json .npmrc LICENSE "$target"
node scripts/supply-chain/sbom.mjs "$target/sbom.cdx.json"
cp -R apps/server "$target/apps/server"
cp -R apps/web/dist "$target/apps/web/dist"
cp -R packages/core packages/locales "$target/packages"
cd "$target"
rm -rf apps/server/testing apps/server/src/contracts apps/server/node_modules packages/*/node_modules
find apps/server packages -name '*.test.ts' -delete
npm install --no-save --omit=dev --loglevel=error --workspace @furoshiki/server --include-workspace-root
# Only what runs: headers and manuals of Node take a quarter of the folder.
rm -rf node_modules/node-*/include node_modules/node-*/share
ln -s ../node_modules/.bin/node bin/node
# npm reports success if it rejects an optional package, such as a Node whose hash is not the locked one.
bin/node --version >/dev/null
rm -rf package-lock.json .npmrc
