package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.sluice.cli.SluiceCommand;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.cli.secure.LocalSecrets;
import io.sluice.common.config.HostPort;
import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.BuiltInDigests;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import io.sluice.proto.ApplicationInfo;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ListApplicationsRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Spark job continues while all keys, certificates and secrets of its cluster are replaced with
 * {@code sluice secure rotate}. Each step happens between writing and reading a shuffle.
 */
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RotationTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int SERVERS = 2;

  /**
   * Renewals of the lease after which the coordinator has read a changed file and the driver has
   * its result: renewals are a second apart, and files are read again after two seconds.
   */
  private static final int RENEWALS = 4;

  private static final List<String> AUTHORITY =
      List.of("faults/trust@mapped", "faults/sign@mapped", "faults/forget@mapped");
  private static final String IDENTITIES = "faults/identities@mapped";
  private static final String USERS = "faults/users@mapped";
  private static final String AFTERWARDS = "faults/afterwards@mapped";

  @TempDir static Path directory;

  private Path secure;
  private LocalCluster cluster;
  private ClusterProbe probe;
  private ControlIdentity admin;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    secure = directory.resolve("secure");
    sluice("init", secure.toString());
    LocalCluster.Builder builder =
        TestCluster.builder(directory.resolve("cluster"))
            .servers(SERVERS)
            .configureCoordinators("rss.coordinator.app.expired", "3s")
            .configureServers("rss.server.heartbeat.interval", "200ms");
    settings("coordinator.conf").forEach(builder::configureCoordinators);
    settings("server.conf").forEach(builder::configureServers);
    cluster = builder.build();
    cluster.start();
    admin = LocalSecrets.identity(secure, LocalSecrets.ADMIN);
    probe = new ClusterProbe(cluster, (host, port) -> admin.channel(new HostPort(host, port)));
    probe.awaitActiveServers(SERVERS, LIMIT);
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
    if (probe != null) {
      probe.close();
    }
  }

  private void sluice(String command, String... arguments) {
    StringWriter out = new StringWriter();
    List<String> words = new ArrayList<>(List.of("secure", command));
    words.addAll(List.of(arguments));
    int code =
        SluiceCommand.commandLine(new PrintWriter(out), new PrintWriter(out))
            .execute(words.toArray(String[]::new));
    assertThat(code).as(out.toString()).isZero();
  }

  private void rotate(String... options) {
    List<String> words = new ArrayList<>(List.of(secure.toString()));
    words.addAll(List.of(options));
    sluice("rotate", words.toArray(String[]::new));
  }

  /** Keys and values of a file of the directory. */
  private Map<String, String> settings(String file) throws IOException {
    Map<String, String> found = new LinkedHashMap<>();
    for (String line : Files.readAllLines(secure.resolve(file))) {
      if (!line.startsWith("#")) {
        String[] pair = line.split(" ", 2);
        found.put(pair[0], pair[1]);
      }
    }
    return found;
  }

  private SparkApplication application(String name) throws IOException {
    SparkApplication application =
        SparkApplication.onSluice(directory.resolve(name), cluster.quorum()).withOneExecutor();
    settings("spark-defaults.conf").forEach(application::set);
    return application.set("spark.rss.coordinator.quorum", cluster.quorum());
  }

  @Test
  void noTaskFailsWhileEverythingIsReplaced() throws IOException, InterruptedException {
    List<String> jobs = new ArrayList<>(AUTHORITY);
    jobs.addAll(List.of(IDENTITIES, USERS, AFTERWARDS));
    Outcome found =
        application("rotated")
            .at("trust/mapped", () -> step("--authority"))
            .at("sign/mapped", () -> identitiesStep(100, "--authority"))
            .at("forget/mapped", () -> step("--authority"))
            .at("identities/mapped", () -> identitiesStep(50))
            .at("users/mapped", () -> step("--users"))
            // Nothing changes here; the driver still has the old secret.
            .at("afterwards/mapped", this::awaitRenewals)
            .run(jobs);
    check(found, jobs);

    // Drivers that start now have the new secret, also when the old one is refused.
    Outcome next =
        application("next").at("users/mapped", () -> step("--users")).run(List.of(USERS));
    check(next, List.of(USERS));
  }

  private void step(String... options) throws IOException, InterruptedException {
    rotate(options);
    awaitRenewals();
  }

  /**
   * Replaces identities.
   *
   * @param days their validity, which shows that servers use them
   */
  private void identitiesStep(int days, String... options)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("--valid-days", Integer.toString(days)));
    rotate(all.toArray(String[]::new));
    long latest = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(days);
    for (ClusterNode server : cluster.servers()) {
      probe.await(
          server.name() + " uses its new identity",
          LIMIT,
          () -> probe.status(server).getCertificateExpiryMs() <= latest);
    }
    awaitRenewals();
  }

  /** Waits until the driver has renewed its lease several times. */
  private void awaitRenewals() throws IOException, InterruptedException {
    // The secret of the admin changes, too.
    ManagedChannel channel =
        LocalSecrets.identity(secure, LocalSecrets.ADMIN)
            .channel(HostPort.parse(cluster.coordinator().address()));
    try {
      long[] remaining = {Long.MAX_VALUE};
      int[] renewals = {0};
      probe.await(
          "the driver renews its lease",
          LIMIT,
          () -> {
            long now = leaseRemainingMs(channel);
            renewals[0] += now > remaining[0] ? 1 : 0;
            remaining[0] = now;
            return renewals[0] >= RENEWALS;
          });
    } finally {
      channel.shutdownNow();
    }
  }

  private static long leaseRemainingMs(ManagedChannel channel) throws IOException {
    List<ApplicationInfo> applications;
    try {
      applications =
          CoordinatorGrpc.newBlockingStub(channel)
              .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS)
              .listApplications(ListApplicationsRequest.getDefaultInstance())
              .getApplicationsList();
    } catch (io.grpc.StatusRuntimeException e) {
      throw new IOException(e.getStatus().toString(), e);
    }
    // Of the youngest application: the lease of an earlier one may not have ended yet.
    return applications.stream()
        .min(java.util.Comparator.comparingLong(ApplicationInfo::getRegisteredAgeMs))
        .orElseThrow(() -> new IOException("no application is registered"))
        .getLeaseRemainingMs();
  }

  private void check(Outcome found, List<String> jobs) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).as(found.log()).isEmpty();
    assertThat(found.shufflesOnSluice()).isEqualTo(jobs.size());
    assertThat(found.anyReassigned()).as("replacement servers").isFalse();
    assertThat(found.ofAllShuffles("writes.localBytes")).as("local bytes").isZero();
    for (String job : jobs) {
      assertThat(found.digest(job)).as(job).isEqualTo(BuiltInDigests.of(job));
      for (String failure :
          List.of("failedTasks", "fetchFailures", "lostTasks", "otherFailures", "failedStages")) {
        assertThat(found.number(job, failure)).as(job + " " + failure).isZero();
      }
    }
  }
}
