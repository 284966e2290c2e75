#!/bin/sh
# publish.sh [--dry-run] <folder> <tag> <image>: publishes what `npm run release` and images.sh have made: a draft of the
# release on GitHub, the image under three tags, and the client on npm. With --dry-run it only says so, and asks npm and
# skopeo whether they could.
set -eu
is_dry=false
if [ "$1" = --dry-run ]; then
	is_dry=true
	shift
fi
folder=$1 tag=$2 image=$3
version=${tag#v}
(cd "$folder" && sha256sum --check --strict --quiet SHA256SUMS)

if $is_dry; then
	echo "draft: $(find "$folder" -maxdepth 1 -type f | wc -l) files"
else
	gh release create "$tag" --draft --verify-tag --title "Furoshiki $version" --notes-file "$folder/NOTES.md" \
		"$folder"/furoshiki-* "$folder"/SHA256SUMS* "$folder"/compose.yml
fi

# A fix of a minor version replaces it, so that `docker compose pull` brings it.
for name in "$version" "${version%.*}" latest; do
	if $is_dry; then
		skopeo inspect --raw "dir:$folder/image" >/dev/null
		echo "image: $image:$name"
	else
		skopeo copy --all --retry-times 3 "dir:$folder/image" "docker://$image:$name"
	fi
done

# npm records who built it if the workflow has the right to sign.
set -- "$folder/furoshiki-cli-$version.tgz" --access public
if $is_dry; then npm publish --dry-run "$@"; else npm publish --provenance "$@"; fi
