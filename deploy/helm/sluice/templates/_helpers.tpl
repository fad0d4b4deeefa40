{{- define "sluice.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "sluice.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else if contains (include "sluice.name" .) .Release.Name }}
{{- .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "sluice.name" .) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Name of a role's objects: dict "root" $ "role" "server". */}}
{{- define "sluice.roleName" -}}
{{ include "sluice.fullname" .root }}-{{ .role }}
{{- end }}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ include "sluice.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "sluice.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "sluice.fullname" .) }}
{{- else }}
{{- .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{- define "sluice.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* DNS domain of the pods of a role; their names are POD.DOMAIN. */}}
{{- define "sluice.domain" -}}
{{ include "sluice.roleName" . }}.{{ .root.Release.Namespace }}.svc.{{ .root.Values.clusterDomain }}
{{- end }}

{{/* Fails for a number of coordinators, or a budget, with which the quorum is less available than with others. */}}
{{- define "sluice.checkCoordinators" -}}
{{- with .Values.coordinator }}
{{- $replicas := int .replicas }}
{{- if and (gt $replicas 1) (eq (mod $replicas 2) 0) }}
{{- fail (printf "coordinator.replicas is %d: more than half must run, so %d survive the loss of as many coordinators as %d; set 1, 3 or 5" $replicas $replicas (sub $replicas 1)) }}
{{- end }}
{{- if gt $replicas 1 }}
{{- if .data.emptyDir }}
{{- fail "coordinator.data.emptyDir: several coordinators need volumes that outlive their pods; use coordinator.data.claim, or coordinator.replicas 1" }}
{{- end }}
{{- if .disruptionBudget.enabled }}
{{- $most := div (sub $replicas 1) 2 }}
{{- if not (kindIs "float64" .disruptionBudget.maxUnavailable | or (kindIs "int64" .disruptionBudget.maxUnavailable)) }}
{{- fail (printf "coordinator.disruptionBudget.maxUnavailable is %q: expected a number of at most %d, less than half of coordinator.replicas" .disruptionBudget.maxUnavailable $most) }}
{{- end }}
{{- if gt (int .disruptionBudget.maxUnavailable) (int $most) }}
{{- fail (printf "coordinator.disruptionBudget.maxUnavailable is %d: evictions could end the majority of %d coordinators; set it to at most %d" (int .disruptionBudget.maxUnavailable) $replicas $most) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sluice.quorum" -}}
{{- $role := dict "root" . "role" "coordinator" }}
{{- $members := list }}
{{- range $i := until (int .Values.coordinator.replicas) }}
{{- $members = append $members (printf "%s-%d.%s:%d" (include "sluice.roleName" $role) $i (include "sluice.domain" $role) (int $.Values.coordinator.ports.rpc)) }}
{{- end }}
{{- join "," $members }}
{{- end }}

{{/* Mebibytes of "512Mi" or "4Gi"; the schema allows only these units. */}}
{{- define "sluice.mebibytes" -}}
{{- if hasSuffix "Gi" . }}{{ mul (trimSuffix "Gi" . | int64) 1024 }}{{ else }}{{ trimSuffix "Mi" . | int64 }}{{ end }}
{{- end }}

{{- define "sluice.coordinatorMebibytes" -}}
{{- with .Values.coordinator.memory }}{{ add (include "sluice.mebibytes" .heap) (include "sluice.mebibytes" .overhead) }}{{ end }}
{{- end }}

{{/* Direct memory: the buffer plus 512 MiB for network and merges. */}}
{{- define "sluice.directMebibytes" -}}
{{- add (include "sluice.mebibytes" .Values.server.memory.buffer) 512 }}
{{- end }}

{{- define "sluice.serverMebibytes" -}}
{{- with .Values.server.memory }}{{ add (include "sluice.mebibytes" .heap) (include "sluice.directMebibytes" $) (include "sluice.mebibytes" .overhead) }}{{ end }}
{{- end }}

{{- define "sluice.basePath" -}}
{{- $paths := list }}
{{- range $i, $disk := .Values.server.disks }}
{{- $paths = append $paths (printf "/data/disk-%d/sluice%s" $i (empty $disk.kind | ternary "" (printf ":%s" $disk.kind))) }}
{{- end }}
{{- join "," $paths }}
{{- end }}

{{/* Number of server pods: with an autoscaler the one in the cluster, else the value of the chart. */}}
{{- define "sluice.serverReplicas" -}}
{{- $replicas := .Values.server.replicas }}
{{- if .Values.server.autoscaled }}
{{- if not .Values.server.moveBeforeStop.enabled }}
{{- fail "server.autoscaled: an autoscaler removes pods without a drain; set server.moveBeforeStop.enabled" }}
{{- end }}
{{- $running := lookup "apps/v1" "StatefulSet" .Release.Namespace (include "sluice.roleName" (dict "root" . "role" "server")) | default dict }}
{{- $replicas = dig "spec" "replicas" $replicas $running }}
{{- end }}
{{- int $replicas }}
{{- end }}

{{/* Lines of given keys; fails for keys that the chart sets: dict "given" map "reserved" list "where" text. */}}
{{- define "sluice.config" -}}
{{- range $key, $value := .given }}
{{- if has $key $.reserved }}
{{- fail (printf "%s: %s is set by the chart; use the corresponding value of the chart" $.where $key) }}
{{- end }}
{{ $key }} {{ $value }}
{{- end }}
{{- end }}

{{- define "sluice.antiAffinity" -}}
{{- if ne .mode "none" }}
podAntiAffinity:
  {{- if eq .mode "hard" }}
  requiredDuringSchedulingIgnoredDuringExecution:
    - topologyKey: kubernetes.io/hostname
      labelSelector:
        matchLabels:
          {{- include "sluice.selector" . | nindent 10 }}
  {{- else }}
  preferredDuringSchedulingIgnoredDuringExecution:
    - weight: 100
      podAffinityTerm:
        topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "sluice.selector" . | nindent 12 }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "sluice.tls" -}}
{{- if and .Values.security.enabled .Values.security.tls.enabled }}true{{ end }}
{{- end }}

{{/* Scheme of the kubelet's requests to /healthz and /readyz. */}}
{{- define "sluice.scheme" -}}
{{- if include "sluice.tls" . }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{/* "true" if TLS uses other certificates than the identities. */}}
{{- define "sluice.tlsCertificate" -}}
{{- if and (include "sluice.tls" .) (or .Values.security.tls.existingSecret .Values.security.tls.certManager.issuer) }}true{{ end }}
{{- end }}

{{/* Secret with the authority, users and identities of a role: dict "root" $ "role" "server". */}}
{{- define "sluice.securitySecret" -}}
{{- get .root.Values.security.existingSecret .role | default (printf "%s-%s-security" (include "sluice.fullname" .root) .role) }}
{{- end }}

{{- define "sluice.tlsSecret" -}}
{{- .Values.security.tls.existingSecret | default (printf "%s-tls" (include "sluice.fullname" .)) }}
{{- end }}

{{/* DNS names of the certificate of cert-manager, as a list. */}}
{{- define "sluice.certificateNames" -}}
{{- $names := list "localhost" }}
{{- range $role := list "coordinator" "server" }}
{{- $names = append $names (printf "*.%s" (include "sluice.domain" (dict "root" $ "role" $role))) }}
{{- end }}
{{- toYaml $names }}
{{- end }}

{{/* Security keys in the configuration of a role: dict "root" "role". */}}
{{- define "sluice.securityConfig" -}}
{{- if .root.Values.security.enabled }}
rss.security.authentication.enabled true
rss.security.authority.file /etc/sluice/security/authority.pem
rss.security.identity.file /etc/sluice/identity/identity.pem
rss.security.users.file /etc/sluice/security/{{ eq .role "coordinator" | ternary "users" "admins" }}
{{- if .root.Values.security.tls.enabled }}
rss.security.tls.enabled true
{{- if include "sluice.tlsCertificate" .root }}
rss.security.tls.certificate.file /etc/sluice/tls/tls.crt
rss.security.tls.key.file /etc/sluice/tls/tls.key
rss.security.tls.trust.file /etc/sluice/tls/ca.crt
{{- end }}
rss.security.tls.client.certificates {{ .root.Values.security.tls.clientCertificates }}
{{- end }}
{{- end }}
{{- end }}

{{/* Security keys that the chart sets, separated by blanks: dict "root" "role". */}}
{{- define "sluice.securityKeys" -}}
{{- range $line := splitList "\n" (include "sluice.securityConfig" .) }}{{ splitList " " $line | first }} {{ end }}
{{- end }}

{{/* Key of a user's secret in the generated secret. Such keys have no @, + and $. */}}
{{- define "sluice.userKey" -}}
user-{{ . | replace "@" "_at_" | replace "+" "_plus_" | replace "$" "_dollar_" }}
{{- end }}

{{/* Identity of the command line in coordinator pods and in jobs of the chart. */}}
{{- define "sluice.adminEnvironment" -}}
{{- if .Values.security.enabled }}
{{- /* Kubernetes replaces $$ by $ in values of variables. */}}
- {name: RSS_USER, value: {{ .Values.security.admin | replace "$" "$$" | quote }}}
- {name: RSS_USER_SECRET_FILE, value: {{ printf "/etc/sluice/security/%s" (include "sluice.userKey" .Values.security.admin) | quote }}}
{{- end }}
{{- if include "sluice.tls" . }}
- {name: RSS_TLS_TRUST_FILE, value: {{ include "sluice.tlsCertificate" . | empty | not | ternary "/etc/sluice/tls/ca.crt" "/etc/sluice/security/authority.pem" }}}
{{- end }}
{{- end }}

{{/* Name of the pod, which selects its identity. */}}
{{- define "sluice.podName" -}}
- name: POD_NAME
  valueFrom:
    fieldRef: {fieldPath: metadata.name}
{{- end }}

{{/* Common part of the pods of both roles: dict "root" "role" "values". */}}
{{- define "sluice.podSpec" -}}
serviceAccountName: {{ include "sluice.serviceAccount" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .root.Values.runAsUser }}
  runAsGroup: {{ .root.Values.runAsGroup }}
  fsGroup: {{ .root.Values.runAsGroup }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- $podAffinity := include "sluice.antiAffinity" (dict "root" .root "role" .role "mode" .values.antiAffinity) | fromYaml }}
{{- with mergeOverwrite $podAffinity (deepCopy .values.affinity) }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "sluice.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The startup probe allows for a long start, such as the recovery of a server; liveness is checked after it. */}}
{{- define "sluice.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: http, scheme: {{ .scheme }}}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: {{ div (add .startSeconds 4) 5 }}
livenessProbe:
  httpGet: {path: /healthz, port: http, scheme: {{ .scheme }}}
  periodSeconds: 15
  timeoutSeconds: 10
  failureThreshold: 8
readinessProbe:
  httpGet: {path: /readyz, port: http, scheme: {{ .scheme }}}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{/* dict "root" "role". */}}
{{- define "sluice.mounts" -}}
- {name: conf, mountPath: /etc/sluice/conf, readOnly: true}
- {name: tmp, mountPath: /tmp}
{{- if .root.Values.existingSecret }}
- {name: secrets, mountPath: /etc/sluice/secrets, readOnly: true}
{{- end }}
{{- if .root.Values.security.enabled }}
{{- /* Only the file of this pod. Such a mount does not follow changes of the secret; a restart of the pod does. */}}
- {name: identities, mountPath: /etc/sluice/identity/identity.pem, subPathExpr: $(POD_NAME).pem, readOnly: true}
{{- end }}
{{- include "sluice.securityMounts" .root }}
{{- end }}

{{- define "sluice.securityMounts" -}}
{{- if .Values.security.enabled }}
- {name: security, mountPath: /etc/sluice/security, readOnly: true}
{{- end }}
{{- if include "sluice.tlsCertificate" . }}
- {name: tls, mountPath: /etc/sluice/tls, readOnly: true}
{{- end }}
{{- end }}

{{/* dict "root" "role". Servers get no secrets of users, and no verifiers of users who run jobs. */}}
{{- define "sluice.securityVolumes" -}}
{{- $secret := include "sluice.securitySecret" (dict "root" .root "role" (eq .role "server" | ternary "server" "coordinator")) }}
{{- if .root.Values.security.enabled }}
- name: security
  secret:
    secretName: {{ $secret }}
    defaultMode: 0440
    items:
      - {key: authority.pem, path: authority.pem}
      {{- if eq .role "server" }}
      - {key: admins, path: admins}
      {{- else }}
      {{- $key := include "sluice.userKey" .root.Values.security.admin }}
      - {key: {{ $key }}, path: {{ $key }}}
      {{- if eq .role "coordinator" }}
      - {key: users, path: users}
      {{- end }}
      {{- end }}
{{- if ne .role "scale-down" }}
- name: identities
  secret:
    secretName: {{ $secret }}
    defaultMode: 0440
{{- end }}
{{- end }}
{{- if include "sluice.tlsCertificate" .root }}
- name: tls
  secret:
    secretName: {{ include "sluice.tlsSecret" .root }}
    defaultMode: 0440
    {{- if eq .role "scale-down" }}
    items:
      - {key: ca.crt, path: ca.crt}
    optional: true
    {{- end }}
{{- end }}
{{- end }}

{{- define "sluice.volumes" -}}
- name: conf
  configMap:
    name: {{ include "sluice.roleName" . }}
- name: tmp
  emptyDir:
    sizeLimit: 512Mi
{{- with .root.Values.existingSecret }}
- name: secrets
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- include "sluice.securityVolumes" . }}
{{- end }}
