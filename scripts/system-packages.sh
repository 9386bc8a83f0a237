#!/usr/bin/env bash
# Installs the Debian packages that are missing: for `build`, those that the WebAssembly build needs; for `test`, also
# the native compiler, the test libraries, the formatter and the browser; for `browsers`, those that the page is opened in; for
# `engines`, those that the sampler is run on; for `fuzz`, the compiler with libFuzzer; for `statistics`, a battery of tests of
# random numbers; for `docs`, what makes the C++ reference.
set -euo pipefail

packages=(cmake ninja-build python3 libboost-dev)
case ${1:-} in
build) ;;
test) packages+=(g++ libgtest-dev libbenchmark-dev nlohmann-json3-dev clang-format chromium) ;;
browsers) packages+=(chromium firefox-esr webkit2gtk-driver xvfb xauth) ;;
engines)
  packages+=(g++ nlohmann-json3-dev clang-19 chromium firefox-esr webkit2gtk-driver xvfb xauth wpewebkit-driver cog)
  packages+=(g++-aarch64-linux-gnu g++-s390x-linux-gnu g++-riscv64-linux-gnu qemu-user)
  ;;
fuzz) packages+=(g++ clang-19 libclang-rt-19-dev nlohmann-json3-dev) ;;
docs) packages+=(doxygen) ;;
statistics) packages+=(g++ libgtest-dev libbenchmark-dev nlohmann-json3-dev dieharder) ;;
*)
  echo "usage: ${0##*/} build|test|browsers|engines|fuzz|statistics|docs" >&2
  exit 2
  ;;
esac

if ! command -v apt-get >/dev/null; then
  echo "not a Debian system; these must be there: ${packages[*]}"
  exit
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo 'in place'
  exit
fi

as_root=()
if ((EUID != 0)); then
  as_root=(sudo)
  command -v sudo >/dev/null || { echo "as root: apt-get install ${missing[*]}" >&2; exit 1; }
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
install=("${as_root[@]}" apt-get install --quiet --quiet --yes --no-install-recommends "${missing[@]}")
# The lists may be missing or old; when they are good enough, fetching them is the slow part.
"${install[@]}" >/dev/null 2>&1 || { "${as_root[@]}" apt-get --quiet --quiet update && "${install[@]}" >/dev/null; }
