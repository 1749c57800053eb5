{{- define "quorate.name" -}}
{{- $whole := printf "%s-%s" .Release.Name .Chart.Name }}
{{- ternary .Release.Name $whole (contains .Chart.Name .Release.Name) | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "quorate.selector" -}}
app.kubernetes.io/name: quorate
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "quorate.labels" -}}
{{ include "quorate.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "quorate.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What every process is told: where the servers are, how to log. */}}
{{- define "quorate.env" -}}
- name: QUORATE_REDIS_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.servers.secret }}, key: redis-url}}
- name: QUORATE_DATABASE_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.servers.secret }}, key: database-url}}
- name: QUORATE_BROKER_URL
  valueFrom: {secretKeyRef: {name: {{ .Values.servers.secret }}, key: broker-url, optional: true}}
- name: QUORATE_LOG
  value: {{ .Values.logs.level | quote }}
- name: HOME
  value: /var/lib/quorate
{{- if .Values.maxUsdPerDay }}
- name: QUORATE_MAX_USD_PER_DAY
  value: {{ .Values.maxUsdPerDay | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What surrounds every container: no privilege, nothing to write but two folders of its own. */}}
{{- define "quorate.container" -}}
image: {{ include "quorate.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: state, mountPath: /var/lib/quorate}
{{- end }}

{{- define "quorate.pod" -}}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- if .root.Values.topologySpread }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "quorate.selector" . | nindent 8 }}
{{- end }}
volumes:
  - {name: tmp, emptyDir: {}}
  - {name: state, emptyDir: {}}
{{- end }}
