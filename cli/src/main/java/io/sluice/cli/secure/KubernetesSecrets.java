package io.sluice.cli.secure;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.ExitCode;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Secrets for the Helm chart, and for the namespace of jobs. Hosts of identities are the DNS names
 * of pods, from which release and namespace follow.
 */
final class KubernetesSecrets {
  /** Secrets of the chart's namespace. */
  static final String CHART = "kubernetes.yaml";

  /** Secrets of the namespace of jobs. */
  static final String JOBS = "kubernetes-jobs.yaml";

  private static final int MAX_NAME = 40;

  /** Of the DNS name of a pod: pod, service, namespace, "svc". */
  private static final int MIN_LABELS = 4;

  private static final Pattern USER = Pattern.compile("[a-z0-9]([a-z0-9.-]*[a-z0-9])?");

  private final SecureDirectory directory;

  KubernetesSecrets(SecureDirectory directory) {
    this.directory = directory;
  }

  /**
   * Name of all objects of a release, as the chart computes it.
   *
   * @param release name of the release
   */
  static String fullName(String release) {
    String name = release.contains("sluice") ? release : release + "-sluice";
    String cut = name.substring(0, Math.min(name.length(), MAX_NAME));
    return cut.endsWith("-") ? cut.substring(0, cut.length() - 1) : cut;
  }

  /** Hosts of a pod: its name, and a name for Prometheus, which connects to addresses of pods. */
  static ProcessHosts podHosts(
      ProcessRole kind, String fullName, String namespace, String domain, int number) {
    String zone = "." + namespace + ".svc." + domain;
    String service = fullName + "-" + kind.text();
    List<String> hosts = new ArrayList<>();
    hosts.add(service + "-" + number + "." + service + zone);
    hosts.add("metrics." + fullName + "-" + ProcessRole.COORDINATOR.text() + zone);
    if (kind == ProcessRole.COORDINATOR) {
      // For the command line in the pod.
      hosts.add("localhost");
    }
    return new ProcessHosts(hosts);
  }

  /** Whether the directory is of a cluster on Kubernetes. */
  boolean areUsed() {
    return directory.has(CHART);
  }

  /**
   * Checks that a user's secret can be in a Secret.
   *
   * @throws CommandFailure if the name cannot be a part of its name
   */
  static void checkUser(String name) throws CommandFailure {
    if (!USER.matcher(name).matches()) {
      throw new CommandFailure(
          ExitCode.WRONG_USAGE,
          "user \""
              + name
              + "\": expected lower-case letters, digits, - and . on Kubernetes, because a Secret has"
              + " this name");
    }
  }

  /** Name of the objects of the release. */
  String fullName() throws IOException {
    String service = firstPod()[1];
    return service.substring(0, service.length() - ProcessRole.COORDINATOR.text().length() - 1);
  }

  String namespace() throws IOException {
    return firstPod()[2];
  }

  private String[] firstPod() throws IOException {
    List<String> pods = directory.hosts(ProcessRole.COORDINATOR);
    String[] labels = pods.isEmpty() ? new String[0] : pods.get(0).split("\\.", -1);
    if (labels.length < MIN_LABELS) {
      throw new CommandFailure(
          ExitCode.FAILED,
          directory.file(SecureDirectory.plural(ProcessRole.COORDINATOR))
              + ": expected identities of pods, such as"
              + " sluice-coordinator-0.sluice-coordinator.shuffle.svc.cluster.local.pem");
    }
    return labels;
  }

  /** Writes the Secrets of all files of the directory. */
  void write() throws IOException {
    String fullName = fullName();
    List<SecretUsers.Entry> users = new SecretUsers(directory).read();
    Map<String, String> ofCoordinators = new TreeMap<>();
    add(ofCoordinators, SecureDirectory.AUTHORITY, SecretUsers.USERS);
    for (SecretUsers.Entry user : users) {
      if (user.role() == Role.ADMIN) {
        String file = SecretUsers.secretFile(user.name());
        ofCoordinators.put(key(file), directory.read(file));
      }
    }
    addIdentities(ofCoordinators, ProcessRole.COORDINATOR);
    Map<String, String> ofServers = new TreeMap<>();
    add(ofServers, SecureDirectory.AUTHORITY, SecretUsers.ADMINS);
    addIdentities(ofServers, ProcessRole.SERVER);
    directory.write(
        CHART,
        "# Written by sluice secure. kubectl apply --server-side -f, in the namespace of the chart.\n"
            + secret(fullName + "-coordinator-security", ofCoordinators)
            + secret(fullName + "-server-security", ofServers));
    Map<String, String> ofTasks = new TreeMap<>();
    add(ofTasks, SecureDirectory.AUTHORITY);
    StringBuilder ofJobs = new StringBuilder(secret(fullName + "-authority", ofTasks));
    for (SecretUsers.Entry user : users) {
      if (user.role() == Role.USER) {
        Map<String, String> ofDrivers = new TreeMap<>();
        add(ofDrivers, SecretUsers.secretFile(user.name()));
        ofJobs.append(secret(fullName + "-user-" + user.name(), ofDrivers));
      }
    }
    directory.write(
        JOBS,
        "# Written by sluice secure. kubectl apply --server-side -f, in the namespace of jobs.\n"
            + ofJobs);
  }

  /** Key of a file, as the chart computes it: keys have no {@code @}, {@code +} and {@code $}. */
  private static String key(String file) {
    return file.replace("@", "_at_").replace("+", "_plus_").replace("$", "_dollar_");
  }

  private void add(Map<String, String> data, String... files) throws IOException {
    for (String file : files) {
      data.put(file, directory.read(file));
    }
  }

  private void addIdentities(Map<String, String> data, ProcessRole kind) throws IOException {
    for (String host : directory.hosts(kind)) {
      data.put(
          host.split("\\.", 2)[0] + ".pem", directory.read(SecureDirectory.identity(kind, host)));
    }
  }

  private static String secret(String name, Map<String, String> data) {
    StringBuilder text = new StringBuilder();
    text.append("---\napiVersion: v1\nkind: Secret\ntype: Opaque\nmetadata: {name: ");
    text.append(name).append("}\ndata:\n");
    data.forEach(
        (key, value) ->
            text.append("  \"")
                .append(key)
                .append("\": ")
                .append(Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8)))
                .append('\n'));
    return text.toString();
  }
}
