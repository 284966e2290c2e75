#!/bin/sh
# images.sh <folder> [options of buildah build]: builds the image for amd64 and arm64 from a commit, and writes both into
# <folder>, ready to be published by `skopeo copy --all dir:<folder> docker://<name>:<tag>`.
# The format is Docker's, because the other one has no health check.
set -eu
folder=$(realpath -m "$1")
shift
cd "$(dirname "$(realpath "$0")")/../.."
if [ -n "$(git status --porcelain)" ]; then
	echo 'images.sh: the tree has uncommitted changes' >&2
	exit 1
fi
version=$(node -p 'require("./package.json").version')
list=localhost/furoshiki-release:$version
buildah manifest rm "$list" >/dev/null 2>&1 || true
buildah manifest create "$list" >/dev/null
for architecture in amd64 arm64; do
	buildah build --format docker --layers --platform "linux/$architecture" \
		--build-arg "BUILDPLATFORM=linux/$(dpkg --print-architecture)" \
		--label "org.opencontainers.image.version=$version" \
		--label "org.opencontainers.image.revision=$(git rev-parse HEAD)" \
		--label "org.opencontainers.image.created=$(git show --no-patch --format=%cI HEAD)" \
		--manifest "$list" --file deploy/Containerfile "$@" .
done
mkdir -p "$folder"
buildah manifest push --all --format v2s2 "$list" "dir:$folder"
