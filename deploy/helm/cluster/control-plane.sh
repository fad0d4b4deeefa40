# Sourced by deploy/helm/check-live after deploy/tools.sh: starts a Kubernetes control plane on the loopback interface.
# The caller must call end_cluster; processes end themselves after $max_seconds seconds.

kwok_version=v0.8.0
# Number of nodes, and of volumes per node.
nodes=5
volumes=10
max_seconds=1200
running=()

# Builds one program of all parts, so that shared packages are compiled and linked once.
build_cluster() { # sets $cluster
  local sources staging base=k8s.io/component-base/version
  cluster=$tools/cluster-$kubernetes_version-$kwok_version-$(cksum <deploy/helm/cluster/main.go | cut -d' ' -f1)
  find_go || return 1
  sources=$(module k8s.io/kubernetes "$kubernetes_version")
  stages=$(module sigs.k8s.io/kwok "$kwok_version")/kustomize/stage
  [ -d "$sources" ] && [ -d "$stages" ] || fail "cannot download the Go modules of Kubernetes and kwok" || return 1
  [ -x "$cluster" ] && return 0
  mkdir -p "$work/build" && cp deploy/helm/cluster/main.go "$work/build"
  # Kubernetes replaces its libraries by local directories; use the published modules instead.
  staging="s|^[[:space:]]*\(k8s.io/[a-z-]*\) => ./staging/.*|replace \1 => \1 v0.${kubernetes_version#v1.}|p"
  {
    echo "module cluster"
    sed -n 's/^go /&/p' "$sources/go.mod"
    echo "require k8s.io/kubernetes $kubernetes_version"
    echo "require sigs.k8s.io/kwok $kwok_version"
    sed -n "$staging" "$sources/go.mod"
  } >"$work/build/go.mod"
  # Sets the version of the API server; with the default v0.0.0, charts refuse it.
  (cd "$work/build" && CGO_ENABLED=0 GOFLAGS='-buildvcs=false -mod=mod' go build '-gcflags=all=-N -l' \
    "-ldflags=-s -X $base.gitVersion=$kubernetes_version -X $base.gitMajor=1 -X $base.gitMinor=$(cut -d. -f2 <<<"$kubernetes_version")" \
    -o "$cluster.new" .) >"$work/build.log" 2>&1 || { tail -n 5 "$work/build.log" >&2; return 1; }
  mv "$cluster.new" "$cluster"
}

start() { # start PART ARGUMENT...
  timeout -k 5 "$max_seconds" "$cluster" "$@" >"$work/$1.log" 2>&1 &
  running+=($!)
}

end_cluster() { # ends the processes in reverse order of their start
  local i
  for ((i = ${#running[@]} - 1; i >= 0; i--)); do
    kill "${running[i]}"
    wait "${running[i]}"
  done 2>/dev/null
  running=()
}

eventually() { # eventually SECONDS MESSAGE COMMAND...: waits until the command succeeds; fails with MESSAGE
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $until ] || fail "$what" || return 1
    sleep 0.3
  done
}

account() { # account NAME GROUP: creates an account with the configuration file NAME.conf
  local token
  token=$(od -An -tx1 -N16 /dev/urandom | tr -d ' \n')
  echo "$token,$1,$1,\"$2\"" >>"$work/tokens"
  cat >"$work/$1.conf" <<END
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:$api", certificate-authority: $work/api.crt}}]
users: [{name: u, user: {token: $token}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
END
}

kubectl() { # as administrator of the cluster
  "$cluster" kubectl --kubeconfig "$work/admin.conf" --request-timeout=30s "$@"
}

start_cluster() {
  local ports store peers api
  export KUBECACHEDIR=$work/cache
  mapfile -t ports < <("$cluster" ports 3)
  store=http://127.0.0.1:${ports[0]} peers=http://127.0.0.1:${ports[1]} api=${ports[2]}
  (umask 077 && mkdir "$work/etcd")
  "$cluster" certificate "$work/api.crt" "$work/api.key" || return 1
  umask 077
  account admin system:masters
  account system:kube-controller-manager control
  account system:kube-scheduler control
  account kubelets system:masters
  account operator people
  umask 022

  start etcd --data-dir="$work/etcd" --unsafe-no-fsync --log-level=warn --name=one --initial-cluster="one=$peers" \
    --listen-client-urls="$store" --advertise-client-urls="$store" \
    --listen-peer-urls="$peers" --initial-advertise-peer-urls="$peers"
  start apiserver --etcd-servers="$store" --bind-address=127.0.0.1 --secure-port="$api" \
    --advertise-address=127.0.0.1 --endpoint-reconciler-type=none --service-cluster-ip-range=10.0.0.0/24 \
    --tls-cert-file="$work/api.crt" --tls-private-key-file="$work/api.key" \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$work/api.key" \
    --service-account-signing-key-file="$work/api.key" --token-auth-file="$work/tokens" --authorization-mode=RBAC
  eventually 60 "the API server did not start" kubectl get --raw /readyz || fail "$(tail -n 2 "$work/apiserver.log")" || return 1
  start controllers --kubeconfig="$work/system:kube-controller-manager.conf" --leader-elect=false --secure-port=0 \
    --service-account-private-key-file="$work/api.key" --root-ca-file="$work/api.crt" --use-service-account-credentials=true
  start scheduler --kubeconfig="$work/system:kube-scheduler.conf" --leader-elect=false --secure-port=0
  start nodes --kubeconfig="$work/kubelets.conf" --manage-all-nodes --node-lease-duration-seconds=40 \
    --config="$stages/node/fast/node-initialize.yaml,$stages/pod/fast/pod-ready.yaml,$stages/pod/fast/pod-delete.yaml,deploy/helm/cluster/stages.yaml"
  describe_nodes >"$work/nodes.yaml"
  kubectl apply -f "$work/nodes.yaml" >/dev/null &&
    kubectl wait --for=condition=Ready node --all --timeout=60s >/dev/null &&
    eventually 60 "there is no default service account" kubectl get serviceaccount default ||
    fail "$(tail -q -n 1 "$work"/{nodes,controllers}.log)"
}

# Prints nodes with local volumes, as a local volume provisioner creates them, and their storage class as default.
describe_nodes() {
  cat <<'END'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
END
  local node volume resources='{cpu: "16", memory: 128Gi, pods: "50"}'
  for ((node = 0; node < nodes; node++)); do
    cat <<END
---
apiVersion: v1
kind: Node
metadata: {name: node-$node, labels: {kubernetes.io/hostname: node-$node, kubernetes.io/os: linux}}
spec: {}
status: {capacity: $resources, allocatable: $resources}
END
    for ((volume = 0; volume < volumes; volume++)); do
      cat <<END
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: node-$node-$volume}
spec:
  storageClassName: local
  capacity: {storage: 200Gi}
  accessModes: [ReadWriteOnce]
  persistentVolumeReclaimPolicy: Retain
  local: {path: /mnt/$volume}
  nodeAffinity:
    required:
      nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node-$node]}]}]
END
    done
  done
}
