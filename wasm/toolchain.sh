#!/usr/bin/env bash
# Puts the compilers that WebAssembly and SIMD need into one folder, .toolchain/ (QUILLMATE_TOOLCHAIN moves it):
#   bin/emcc, em++, emar, emranlib   Emscripten >= 3.1.69: the one on PATH, or else Debian's, unpacked here without root
#   include/xsimd                    the SIMD headers, for the native build too (Debian 12's are too old)
# Needs Debian 12 or later on amd64 for its own Emscripten. The packages are the ones in toolchain.lock, checked against
# their hashes; the mirror is the one that apt uses (QUILLMATE_DEBIAN_MIRROR overrides it). Does nothing when all is in
# place. The folder may be moved.
#
# usage: toolchain.sh           make the folder or find it made
#        toolchain.sh relock    write toolchain.lock anew, with the versions that the mirror has today
set -euo pipefail

here=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
toolchain=${QUILLMATE_TOOLCHAIN:-${here%/*}/.toolchain}
lock=$here/toolchain.lock

# clang and what it links to come from Debian 12, so that they run on its libc. Debian 12's Emscripten makes broken ES
# modules; the next release's is Python and portable, its binaryen is not and brings its own libc.
llvm_suite=bookworm
llvm_packages=(clang-19 lld-19 llvm-19 libllvm19 libclang-cpp19 libclang-common-19-dev llvm-19-linker-tools libz3-4
  libedit2 libxml2 libicu72 libbsd0 libmd0 libtinfo6 libzstd1 zlib1g libffi8 liblzma5)
emscripten_suite=trixie
emscripten_packages=(emscripten node-acorn libxsimd-dev)
binaryen_packages=(binaryen libc6 libstdc++6 libgcc-s1)

fail() {
  printf 'toolchain: %s\n' "$*" >&2
  exit 1
}

mirror() {
  local uri=${QUILLMATE_DEBIAN_MIRROR:-}
  if [[ -z $uri ]]; then
    # shellcheck disable=SC2016 # apt fills the names in
    uri=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' 'Component: main' |
      sed -nE 's/^(bookworm|trixie|stable|oldstable) //p' | head -n 1)
  fi
  [[ -n $uri ]] || fail 'apt names no Debian mirror; put emcc >= 3.1.69 on PATH or set QUILLMATE_DEBIAN_MIRROR'
  printf '%s\n' "${uri%/}"
}

# One line a package, "group pool-path sha256", from the mirror's signed lists.
relock() {
  local base
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  base=$(mirror)
  printf '# Written by "toolchain.sh relock": group, path in the Debian pool, sha256.\n' >"$work/lock"
  lock_group() {
    local group=$1 suite=$2
    shift 2
    local state=$work/$suite
    local apt=(apt-get -qq -o Dir::Etc::main=/dev/null -o Dir::Etc::parts=/dev/null -o Dir::Etc::sourceparts=/dev/null
      -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::State="$state" -o Dir::State::status="$state/status"
      -o Dir::Cache="$state/cache" -o APT::Sandbox::User= -o APT::Architectures=amd64 -o Acquire::Languages=none)
    if [[ ! -d $state ]]; then
      mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
      : >"$state/status"
      printf 'deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' \
        "$base" "$suite" >"$state/sources.list"
      "${apt[@]}" update
    fi
    "${apt[@]}" --print-uris download "$@" |
      sed -E "s|^'$base/([^']+)' .* SHA256:([0-9a-f]{64})\$|$group \1 \2|" | sort >>"$work/lock"
  }
  lock_group llvm "$llvm_suite" "${llvm_packages[@]}"
  lock_group emscripten "$emscripten_suite" "${emscripten_packages[@]}"
  lock_group binaryen "$emscripten_suite" "${binaryen_packages[@]}"
  if grep -vE '^(#|[a-z]+ pool/[^ ]+\.deb [0-9a-f]{64}$)' "$work/lock" >&2; then
    fail 'the mirror gave lines that are no package (above)'
  fi
  cp "$work/lock" "$lock"
}

# Downloads the locked packages whose lines match the pattern into $debs/GROUP/.
download() {
  local base group path sha256 wanted=()
  base=$(mirror)
  while read -r group path sha256; do
    mkdir -p "$debs/$group"
    wanted+=("$base/$path" "$debs/$group/$(basename "$path")" "SHA256:$sha256")
  done < <(grep -E "$1" "$lock")
  # One call fetches over one connection, and apt's own proxy settings hold; the hash is checked by apt.
  if ! /usr/lib/apt/apt-helper -qq download-file "${wanted[@]}" >"$debs/log" 2>&1; then
    cat "$debs/log" >&2
    fail "a pinned package could not be had (above); if the mirror no longer has that version, run 'wasm/toolchain.sh relock' and commit toolchain.lock"
  fi
}

script() { # FILE, then the script on standard input
  mkdir -p "${1%/*}"
  cat >"$1"
  chmod +x "$1"
}

unpack_xsimd() {
  local tree=$root/xsimd
  dpkg-deb -x "$debs"/emscripten/libxsimd-dev_*.deb "$tree"
  mkdir "$root/include"
  mv "$tree/usr/include/xsimd" "$root/include/"
  rm -rf "$tree"
}

# emcc from PATH: the wrappers only give it the same place.
wrap_emscripten() {
  local tool
  for tool in emcc em++ emar emranlib; do
    printf '#!/bin/sh\nexec "%s/%s" "$@"\n' "${1%/*}" "$tool" | script "$root/bin/$tool"
  done
}

unpack_emscripten() {
  local deb tool share=$root/emscripten/usr/share
  for deb in "$debs"/llvm/*.deb; do dpkg-deb -x "$deb" "$root/llvm"; done
  for deb in "$debs"/binaryen/*.deb; do dpkg-deb -x "$deb" "$root/binaryen"; done
  mkdir "$root/emscripten"
  dpkg-deb -x "$debs"/emscripten/node-acorn_*.deb "$root/emscripten"
  # Of the system libraries only the plain 32-bit ones are linked here; the rest is most of the package.
  dpkg-deb --fsys-tarfile "$debs"/emscripten/emscripten_*.deb | tar -x -C "$root/emscripten" \
    --exclude='./usr/share/doc' --exclude='./usr/share/emscripten/'{docs,media,test} \
    --exclude='*/wasm64-emscripten' --exclude='*/wasm32-emscripten/'{lto,thinlto,pic,lto-pic} \
    --exclude='*/wasm32-emscripten/*-'{asan,ww}'*' \
    --exclude='*/wasm32-emscripten/lib'{GL-emu,GL-ww,GL-mt,GL-webgl2,GL-full,GL-ofb,asan,lsan,ubsan,sanitizer}'*'
  rm -rf "$root"/{llvm,binaryen}/usr/share "$root"/llvm/usr/lib/llvm-19/lib/*.a

  # Its scripts are CommonJS, whatever the package.json around this folder says.
  printf '{ "type": "commonjs" }\n' >"$root/emscripten/package.json"
  # The optimiser is an ES module, for which Node does not read NODE_PATH.
  mkdir -p "$share/emscripten/node_modules"
  ln -sfn ../../nodejs/acorn "$share/emscripten/node_modules/acorn"

  # clang must not run through another loader: it finds its own headers by its path. So only its libraries are pointed to.
  for tool in clang clang++ lld wasm-ld llvm-{ar,dwarfdump,dwp,nm,objcopy,profdata,ranlib,strip}; do
    script "$root/llvm/bin/$tool" <<END
#!/bin/sh
root=\${0%/*}/..
LD_LIBRARY_PATH="\$root/usr/lib/x86_64-linux-gnu" exec "\$root/usr/lib/llvm-19/bin/$tool" "\$@"
END
  done
  for tool in "$root"/binaryen/usr/bin/*; do
    tool=${tool##*/}
    script "$root/binaryen/bin/$tool" <<END
#!/bin/sh
unset LD_LIBRARY_PATH
lib=\${0%/*}/../usr/lib/x86_64-linux-gnu
exec "\$lib/ld-linux-x86-64.so.2" --library-path "\$lib" "\${0%/*}/../usr/bin/$tool" "\$@"
END
  done
  cat >"$root/emscripten/config" <<'END'
import os
root = os.environ['QUILLMATE_EMSCRIPTEN_ROOT']
LLVM_ROOT = root + '/llvm/bin'
BINARYEN_ROOT = root + '/binaryen'
NODE_JS = 'node'
FROZEN_CACHE = True
END
  for tool in emcc em++ emar emranlib; do
    script "$root/bin/$tool" <<END
#!/bin/sh
export QUILLMATE_EMSCRIPTEN_ROOT=\$(cd "\${0%/*}/.." && pwd)
export EM_CONFIG="\$QUILLMATE_EMSCRIPTEN_ROOT/emscripten/config" PYTHONDONTWRITEBYTECODE=1
exec python3 -E "\$QUILLMATE_EMSCRIPTEN_ROOT/emscripten/usr/share/emscripten/$tool.py" "\$@"
END
  done
}

at_least() { # VERSION MINIMUM
  [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]
}

# The first emcc on PATH, if it is new enough: its path.
emcc_on_path() {
  local emcc version
  emcc=$(type -P emcc) || return 0
  version=$("$emcc" --version | sed -nE '1s/.* ([0-9]+\.[0-9]+\.[0-9]+).*/\1/p')
  if [[ -n $version ]] && at_least "$version" 3.1.69; then printf '%s\n' "$emcc"; fi
}

in_place() {
  [[ -f $toolchain/stamp && $(<"$toolchain/stamp") == "$stamp" ]]
}

make() {
  local emcc
  mkdir -p "${toolchain%/*}"
  exec {lock_fd}>"$toolchain.lock"
  flock "$lock_fd"
  if in_place; then return; fi # another run made it meanwhile

  # A killed run leaves a folder of another name, never half a toolchain.
  root=$toolchain.unfinished
  trap 'rm -rf "$root"' EXIT
  rm -rf "$root"
  debs=$root/debs
  mkdir -p "$debs"
  emcc=$(emcc_on_path)
  if [[ -n $emcc ]]; then
    echo "toolchain: using $emcc"
    download '/libxsimd-dev_'
    wrap_emscripten "$emcc"
  else
    [[ $(uname -sm) == 'Linux x86_64' ]] || fail 'there is no Emscripten to unpack for this machine; put emcc >= 3.1.69 on PATH'
    echo "toolchain: unpacking Emscripten into $toolchain (about a minute, once)"
    download '^[a-z]'
    unpack_emscripten
  fi
  unpack_xsimd
  rm -rf "$debs"
  "$root/bin/emcc" --version | head -n 1
  printf '%s\n' "$stamp" >"$root/stamp"
  # Aside first: a compiler that is still running may keep the old folder from being removed.
  rm -rf "$toolchain.old"
  if [[ -d $toolchain ]]; then mv "$toolchain" "$toolchain.old"; fi
  mv "$root" "$toolchain"
  rm -rf "$toolchain.old"
}

case ${1:-} in
relock) relock ;;
'')
  # The path, not the version: asking emcc costs a second.
  stamp="$(cat "$lock" "${BASH_SOURCE[0]}" | sha256sum | cut -d ' ' -f 1) $(type -P emcc || echo none)"
  if ! in_place; then make; fi
  ;;
*) fail "usage: ${0##*/} [relock]" ;;
esac
