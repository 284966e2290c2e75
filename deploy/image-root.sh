#!/bin/sh
# image-root.sh <amd64|arm64> <folder>: writes what the image needs besides the server: the libraries of Node, and no
# program. The Containerfile runs it, as root on Debian. It works for another architecture without emulation.
set -eu
architecture=$1
root=$2
case $architecture in
amd64) triplet=x86_64-linux-gnu loader=/lib64/ld-linux-x86-64.so.2 ;;
arm64) triplet=aarch64-linux-gnu loader=/lib/ld-linux-aarch64.so.1 ;;
*) echo "image-root.sh: there is no image for $architecture" >&2 && exit 1 ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
dpkg --add-architecture "$architecture"
apt-get update -qq
# gcc-12-base has the licence of the last three.
for name in libc6 gcc-12-base libgcc-s1 libstdc++6 libatomic1; do
	(cd "$scratch" && apt-get download -qq "$name:$architecture")
	dpkg-deb -x "$scratch/$name"_*.deb "$scratch/all"
	mkdir -p "$root/usr/share/doc/$name" "$root/var/lib/dpkg/status.d"
	cp -L "$scratch/all/usr/share/doc/$name/copyright" "$root/usr/share/doc/$name/"
	# Scanners for known vulnerabilities read the versions here.
	dpkg-deb -f "$scratch/$name"_*.deb >"$root/var/lib/dpkg/status.d/$name"
done

mkdir -p "$root/lib/$triplet" "$root$(dirname $loader)" "$root/etc"
for name in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 libgcc_s.so.1 libstdc++.so.6 libatomic.so.1; do
	cp -L "$(find "$scratch/all/lib/$triplet" "$scratch/all/usr/lib/$triplet" -name "$name" | head -n 1)" "$root/lib/$triplet/"
done
cp -L "$(find "$scratch/all/lib/$triplet" -name "$(basename $loader)")" "$root$loader"

cp -L /etc/os-release "$root/etc/"
echo 'furoshiki:x:10001:10001::/data:/nonexistent' >"$root/etc/passwd"
echo 'furoshiki:x:10001:' >"$root/etc/group"
# By default the C library asks DNS first, and then does not look for the names of other containers in /etc/hosts.
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
install -d -m 1777 "$root/tmp"
install -d -m 700 -o 10001 -g 10001 "$root/data"
