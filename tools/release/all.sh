#!/bin/sh
# all.sh <tag> <image> <folder> [--publish]: makes a release on any machine with Debian, as .github/workflows/release.yml
# does on GitHub: tag, tests, files, images, one transfer with what was made. It publishes only with --publish.
set -eu
tag=$1 image=$2 folder=$3
cd "$(dirname "$(realpath "$0")")/../.."
node tools/release/check-tag.mjs "$tag"
npm test
npm run test:long
npm run release -- --out "$folder" --image "$image" --tag "$tag"
tools/release/images.sh "$folder/image"
node scripts/try.mjs archive "$folder/furoshiki-server-${tag#v}-linux-$(node -p process.arch).tar.gz"
if [ "${4-}" = --publish ]; then dry=; else dry=--dry-run; fi
# shellcheck disable=SC2086
tools/release/publish.sh $dry "$folder" "$tag" "$image"
