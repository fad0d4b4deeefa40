package io.sluice.cli.secure;

import io.sluice.common.auth.ProcessRole;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Commands that bring changed files of the directory to the processes of the cluster. */
final class Distribution {
  private final SecureDirectory directory;
  private final Path given;
  private final KubernetesSecrets secrets;

  /** Files that changed. */
  enum Part {
    AUTHORITY,
    IDENTITIES,
    USERS
  }

  /**
   * @param given the directory as the caller named it
   */
  Distribution(SecureDirectory directory, Path given) {
    this.directory = directory;
    this.given = given;
    this.secrets = new KubernetesSecrets(directory);
  }

  /** Whether the processes read the directory itself. */
  private boolean isInPlace() throws IOException {
    return directory.hosts(ProcessRole.COORDINATOR).contains(NewCluster.THIS_HOST);
  }

  /** Updates derived files; call before the report of written files. */
  void refresh() throws IOException {
    if (secrets.areUsed()) {
      secrets.write();
    }
  }

  /** Reports the commands for all coordinators and servers. */
  void report(SecureReport report, Set<Part> parts) throws IOException {
    report(
        report,
        parts,
        directory.hosts(ProcessRole.COORDINATOR),
        directory.hosts(ProcessRole.SERVER));
  }

  /** Reports the commands for new processes, which get all files. */
  void report(SecureReport report, List<String> coordinators, List<String> servers)
      throws IOException {
    report(report, EnumSet.allOf(Part.class), coordinators, servers);
  }

  private void report(
      SecureReport report, Set<Part> parts, List<String> coordinators, List<String> servers)
      throws IOException {
    if (secrets.areUsed()) {
      report.next(onKubernetes(parts).toArray(String[]::new));
    } else if (isInPlace()) {
      report.text("Processes that use these files read them again within seconds.");
    } else {
      List<String> lines = new ArrayList<>();
      lines.addAll(loop(ProcessRole.COORDINATOR, coordinators, SecretUsers.USERS, parts));
      lines.addAll(loop(ProcessRole.SERVER, servers, SecretUsers.ADMINS, parts));
      report.next(lines.toArray(String[]::new));
      if (parts.contains(Part.AUTHORITY)) {
        report.text(
            "Copy "
                + given.resolve(SecureDirectory.AUTHORITY)
                + " also to every host where drivers or tasks of jobs run, to "
                + InstalledPaths.OF_JOBS
                + ".");
      }
    }
  }

  private List<String> onKubernetes(Set<Part> parts) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add(
        "kubectl -n "
            + secrets.namespace()
            + " apply --server-side -f "
            + given.resolve(KubernetesSecrets.CHART));
    if (parts.contains(Part.IDENTITIES)) {
      // The file of a pod is mounted by itself, and such mounts do not change.
      for (ProcessRole kind : ProcessRole.values()) {
        String set = "statefulset/" + secrets.fullName() + "-" + kind.text();
        lines.add("kubectl -n " + secrets.namespace() + " rollout restart " + set);
        lines.add("kubectl -n " + secrets.namespace() + " rollout status " + set);
      }
    }
    if (parts.contains(Part.AUTHORITY) || parts.contains(Part.USERS)) {
      lines.add(
          "kubectl -n NAMESPACE-OF-JOBS apply --server-side -f "
              + given.resolve(KubernetesSecrets.JOBS));
    }
    return lines;
  }

  private List<String> loop(ProcessRole kind, List<String> hosts, String users, Set<Part> parts) {
    List<String> common = new ArrayList<>();
    if (parts.contains(Part.AUTHORITY)) {
      common.add(given.resolve(SecureDirectory.AUTHORITY).toString());
    }
    if (parts.contains(Part.USERS)) {
      common.add(given.resolve(users).toString());
    }
    if (hosts.isEmpty()) {
      return List.of();
    }
    String target = "\"root@$host:" + InstalledPaths.ON_HOSTS;
    List<String> lines = new ArrayList<>();
    lines.add("for host in " + String.join(" ", hosts) + "; do");
    if (!common.isEmpty()) {
      lines.add("  scp -p " + String.join(" ", common) + " " + target + "/\" &&");
    }
    if (parts.contains(Part.IDENTITIES)) {
      lines.add(
          "  scp -p "
              + given.resolve(SecureDirectory.identity(kind, "$host"))
              + " "
              + target
              + "/"
              + kind.text()
              + ".pem\" &&");
    }
    // The service's user becomes the owner.
    lines.add("  ssh \"root@$host\" systemd-tmpfiles --create sluice.conf");
    lines.add("done");
    return lines;
  }
}
