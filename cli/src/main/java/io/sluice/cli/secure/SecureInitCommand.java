package io.sluice.cli.secure;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.ExitCode;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.tls.CertificateAuthority.Validity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice secure init}. */
@Command(
    name = "init",
    description = {
      "Create an authority, identities of coordinators and servers, an admin, a user for jobs, and"
          + " the configuration of coordinators, servers, Spark and MapReduce.",
      "Without hosts, for a cluster whose processes all run on this machine and read the directory"
          + " itself. No existing file is changed."
    },
    sortOptions = false)
final class SecureInitCommand implements Callable<Integer> {
  private static final int MAX_REPLICAS = 500;

  private final SecureSources sources;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "DIRECTORY",
      description = "New or empty directory, on a machine that is not part of the cluster.")
  private Path given;

  @Option(
      names = "--coordinators",
      split = ",",
      paramLabel = "HOST",
      converter = HostsConverter.class,
      description =
          "Hosts of the coordinators, as in rss.coordinator.quorum. Several names and addresses of"
              + " one host are joined with +. Comma-separated or repeated.")
  private List<ProcessHosts> coordinators = new ArrayList<>();

  @Option(
      names = "--servers",
      split = ",",
      paramLabel = "HOST",
      converter = HostsConverter.class,
      description =
          "Hosts of the shuffle servers, as in rss.server.host or RSS_IP of each. Joined and"
              + " separated like those of coordinators.")
  private List<ProcessHosts> servers = new ArrayList<>();

  @Mixin private ValidityOption validity = new ValidityOption();

  @ArgGroup(exclusive = false, heading = "%nKubernetes:%n")
  private Kubernetes kubernetes;

  /** Options of a release of the Helm chart. */
  static final class Kubernetes {
    @Option(
        names = "--kubernetes",
        required = true,
        description =
            "Identities of the pods of the Helm chart, and Secrets for kubectl apply in the files "
                + KubernetesSecrets.CHART
                + " and "
                + KubernetesSecrets.JOBS
                + ".")
    private boolean enabled;

    @Option(
        names = "--namespace",
        paramLabel = "NAME",
        defaultValue = "shuffle",
        description = "Namespace of the release; default ${DEFAULT-VALUE}.")
    private String namespace;

    @Option(
        names = "--release",
        paramLabel = "NAME",
        defaultValue = "sluice",
        description = "Name of the release; default ${DEFAULT-VALUE}.")
    private String release;

    @Option(
        names = "--coordinator-replicas",
        paramLabel = "N",
        defaultValue = "3",
        description = "Value coordinator.replicas of the chart; default ${DEFAULT-VALUE}.")
    private int coordinators;

    @Option(
        names = "--server-replicas",
        paramLabel = "N",
        defaultValue = "3",
        description =
            "Maximum value of server.replicas of the chart, so that servers can be added later;"
                + " default ${DEFAULT-VALUE}.")
    private int servers;

    @Option(
        names = "--cluster-domain",
        paramLabel = "DOMAIN",
        defaultValue = "cluster.local",
        description = "Value clusterDomain of the chart; default ${DEFAULT-VALUE}.")
    private String domain;

    private List<ProcessHosts> pods(ProcessRole kind, int count) {
      List<ProcessHosts> pods = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        pods.add(
            KubernetesSecrets.podHosts(
                kind, KubernetesSecrets.fullName(release), namespace, domain, i));
      }
      return pods;
    }
  }

  SecureInitCommand(SecureSources sources) {
    this.sources = sources;
  }

  @Override
  public Integer call() throws IOException {
    chooseHosts();
    Path root = given.toAbsolutePath().normalize();
    refuseContents(root);
    Files.createDirectories(root.getParent());
    // Complete or not at all: written aside, and moved when it is whole.
    Path partial =
        Files.createTempDirectory(
            root.getParent(),
            root.getFileName() + ".partial-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    SecureReport report;
    try {
      SecureDirectory directory = SecureDirectory.fresh(partial, sources);
      Validity valid = fill(directory, root);
      Files.move(partial, root, StandardCopyOption.ATOMIC_MOVE);
      report = new SecureReport(spec.commandLine().getOut(), given);
      report.written(directory.written());
      report.text(
          "Identities: %s, %s; valid until %s. Users: %s (admin), %s."
              .formatted(
                  count(coordinators.size(), "coordinator"),
                  count(servers.size(), "server"),
                  SecureReport.day(valid.until()),
                  NewCluster.ADMIN,
                  NewCluster.USER));
    } finally {
      removePartial(partial);
    }
    report.text(
        "Keep "
            + given.resolve(SecureDirectory.AUTHORITY_KEY)
            + " away from all machines of the cluster: it can sign any identity.");
    next(report, root);
    return 0;
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  private void chooseHosts() throws IOException {
    if (forKubernetes()) {
      check(
          coordinators.isEmpty() && servers.isEmpty(),
          "--kubernetes: --coordinators and --servers are not possible, pods have fixed names");
      check(
          kubernetes.coordinators >= 1 && kubernetes.coordinators <= MAX_REPLICAS,
          "--coordinator-replicas " + kubernetes.coordinators + ": expected 1 to " + MAX_REPLICAS);
      check(
          kubernetes.servers >= 1 && kubernetes.servers <= MAX_REPLICAS,
          "--server-replicas " + kubernetes.servers + ": expected 1 to " + MAX_REPLICAS);
      coordinators = kubernetes.pods(ProcessRole.COORDINATOR, kubernetes.coordinators);
      servers = kubernetes.pods(ProcessRole.SERVER, kubernetes.servers);
      return;
    }
    check(
        coordinators.isEmpty() == servers.isEmpty(),
        "--coordinators and --servers: expected both, or none for a cluster on this machine");
    if (isOnThisHost()) {
      NewCluster own = NewCluster.onThisHost(sources);
      coordinators = own.coordinators();
      servers = own.servers();
    }
  }

  private boolean isOnThisHost() {
    return coordinators.isEmpty()
        || (!forKubernetes() && coordinators.get(0).first().equals(NewCluster.THIS_HOST));
  }

  private void check(boolean valid, String problem) {
    if (!valid) {
      throw new ParameterException(spec.commandLine(), problem);
    }
  }

  private static void refuseContents(Path root) throws IOException {
    if (Files.notExists(root)) {
      return;
    }
    try (Stream<Path> contents = Files.list(root)) {
      if (contents.findAny().isPresent()) {
        throw new CommandFailure(
            ExitCode.FAILED,
            root
                + " is not empty, and nothing in it is replaced: name a new directory, or change"
                + " this one with `sluice secure server`, `coordinator`, `user` or `rotate`");
      }
    } catch (java.nio.file.NotDirectoryException e) {
      throw new CommandFailure(ExitCode.FAILED, root + " is not a directory", e);
    }
  }

  private Validity fill(SecureDirectory directory, Path root) throws IOException {
    Validity valid =
        new NewCluster(coordinators, servers)
            .create(directory, authority -> validity.of(authority, sources.clock()));
    if (forKubernetes()) {
      new KubernetesSecrets(directory).write();
    } else {
      InstalledPaths paths =
          isOnThisHost()
              ? InstalledPaths.inPlace(root, NewCluster.THIS_HOST)
              : InstalledPaths.copied();
      new ConfigurationLines(
              paths, coordinators.stream().map(ProcessHosts::first).toList(), NewCluster.USER)
          .write(directory);
    }
    return valid;
  }

  private static void removePartial(Path partial) throws IOException {
    if (Files.exists(partial)) {
      try (Stream<Path> files = Files.walk(partial)) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private void next(SecureReport report, Path root) throws IOException {
    if (forKubernetes()) {
      report.next(
          "kubectl create namespace " + kubernetes.namespace,
          "kubectl -n "
              + kubernetes.namespace
              + " apply --server-side -f "
              + given.resolve(KubernetesSecrets.CHART),
          "helm install "
              + kubernetes.release
              + " deploy/helm/sluice --namespace "
              + kubernetes.namespace
              + " --set coordinator.replicas="
              + kubernetes.coordinators
              + ",server.replicas="
              + kubernetes.servers,
          "kubectl -n NAMESPACE-OF-JOBS apply --server-side -f "
              + given.resolve(KubernetesSecrets.JOBS));
    } else if (isOnThisHost()) {
      report.next(
          "sluice coordinator --conf conf/coordinator.conf --conf "
              + given.resolve(ConfigurationLines.COORDINATOR)
              + " &",
          "sluice server --conf conf/server.conf --conf "
              + given.resolve(ConfigurationLines.SERVER)
              + " &",
          "sluice demo --secure=" + given);
    } else {
      new Distribution(SecureDirectory.open(root, sources), given)
          .report(report, EnumSet.allOf(Distribution.Part.class));
      report.text(
          "The lines of "
              + given.resolve(ConfigurationLines.COORDINATOR)
              + " and "
              + given.resolve(ConfigurationLines.SERVER)
              + " belong into the configuration of these processes, those of "
              + given.resolve(ConfigurationLines.SPARK)
              + " into that of Spark.");
    }
  }

  private boolean forKubernetes() {
    return kubernetes != null && kubernetes.enabled;
  }
}
