package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Failover of blocks that servers refuse, recomputation of lost blocks, and Spark's rules for
 * special stages.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Timeout(600)
class FallbackTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int SERVERS = 3;

  /** Number of map tasks of the fault job. */
  private static final int MAPS = 6;

  /** Number of map tasks of the job {@link #EXACT}; each writes one block. */
  private static final int MAPS_OF_EXACT = 36;

  private static final String REPLACED = "faults/replaced@registered";
  private static final String ALL_LOCAL = "faults/local@registered,mapped";
  private static final String EXACT = "sparseLoss";
  private static final List<String> LOSSES = List.of(EXACT, "indeterminateLoss", "barrierLoss");

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;

  @BeforeAll
  void startCluster() throws IOException, InterruptedException {
    cluster =
        TestCluster.builder(directory.resolve("cluster"))
            .servers(SERVERS)
            .configureCoordinators("rss.coordinator.server.heartbeat.interval", "200ms")
            .configureCoordinators("rss.coordinator.server.heartbeat.timeout", "3s")
            .configureCoordinators(
                "rss.coordinator.access.candidates.path", rules("access", "").toString())
            .configureCoordinators(
                "rss.coordinator.quota.default.path", rules("quotas", "").toString())
            .configureCoordinators("rss.coordinator.files.check.interval", "200ms")
            .configureCoordinators("rss.coordinator.dynamicClientConf.enabled", "true")
            .configureCoordinators(
                "rss.coordinator.dynamicClientConf.path",
                rules("clients", "rss.client.rpc.maxAttempts 4\n").toString())
            .configureServers("rss.server.heartbeat.interval", "200ms")
            .serverJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
            .build();
    cluster.start();
    probe = new ClusterProbe(cluster);
    probe.awaitActiveServers(SERVERS, TIMEOUT);
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  private SparkApplication application(String name, String mode) {
    return SparkApplication.onSluice(directory.resolve(name), cluster.quorum())
        .set("spark.rss.local.output", mode)
        .set("spark.rss.client.server.unreachable.timeout", "2s")
        .set("spark.rss.client.send.check.timeout.ms", "5s")
        .set("spark.rss.client.retry.interval.max", "300ms")
        .set("spark.locality.wait", "0s");
  }

  private static void assertThroughSluice(Outcome found) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.shufflesOnSluice()).isPositive();
  }

  /** Checks that every block of a job's shuffle stayed on executors. */
  private static void assertAllLocal(Outcome found, String job, long attempts) {
    assertThat(found.shuffle(job, "writes.attempts")).as(job + " map attempts").isEqualTo(attempts);
    assertThat(found.shuffle(job, "writes.localBytes")).as(job + " in local output").isPositive();
    assertThat(found.shuffle(job, "writes.pushedBytes")).as(job + " pushed to servers").isZero();
  }

  /** Replaces the operator's access rules. */
  private static Path rules(String file, String text) throws IOException {
    return Files.writeString(directory.resolve(file), text);
  }

  /** Number of times that the coordinator has applied changed access rules or quotas. */
  private long rulesChanges() throws IOException, InterruptedException {
    return probe.events(cluster.coordinator(), "USAGE_RULES_CHANGED");
  }

  private void awaitRulesChanges(long count) throws IOException, InterruptedException {
    probe.await("the coordinator applies rules", TIMEOUT, () -> rulesChanges() >= count);
  }

  /** Waits until every server refuses pushes of {@code applications} applications due to quotas. */
  private void awaitOverQuota(int applications) throws IOException, InterruptedException {
    for (ClusterNode server : cluster.servers()) {
      probe.await(
          server.name() + " knows of " + applications + " applications over quota",
          TIMEOUT,
          () -> probe.metric(server, "sluice_server_over_quota_applications") == applications);
    }
  }

  @Test
  void aDeniedJobFallsBackWithOneWarning() throws IOException, InterruptedException {
    String user = System.getProperty("user.name");
    long read = rulesChanges();
    rules("access", "deny user " + user + "\n");
    awaitRulesChanges(read + 1);

    Outcome found =
        application("denied", "fallback").withOneExecutor().run(List.of("faults/denied", EXACT));

    rules("access", "");
    awaitRulesChanges(read + 2);
    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.digest("faults/denied")).isEqualTo(BuiltInDigests.of("faults/replaced"));
    assertThat(found.digest(EXACT)).isEqualTo(BuiltInDigests.of(EXACT));
    assertThat(found.shufflesOnSluice()).isZero();
    assertThat(found.fallbacks())
        .hasSizeGreaterThan(1)
        .allMatch(reason -> reason.startsWith("DENIED"));
    // The warning in the user's log, with the required action.
    assertThat(found.linesWith("falling back to Spark's built-in shuffle")).isEqualTo(1);
    assertThat(found.linesWith("ask the operator to add \"allow user " + user)).isEqualTo(1);
  }

  @Test
  void aJobThatReachesItsQuotaContinuesWithLocalOutput() throws IOException, InterruptedException {
    long read = rulesChanges();
    SparkApplication application =
        application("quota", "fallback")
            .withOneExecutor()
            // The first shuffle counts against the quota until the application ends.
            .set("spark.cleaner.referenceTracking", "false");
    application.at(
        "quota/registered",
        () -> {
          rules("quotas", "default application.bytes=1\n");
          awaitOverQuota(1);
        });

    Outcome found =
        application.run(List.of("faults/before", "faults/quota@registered", "faults/after"));
    rules("quotas", "");
    awaitRulesChanges(read + 2);

    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String job : List.of("faults/before", "faults/quota@registered", "faults/after")) {
      assertThat(found.digest(job)).as(job).isEqualTo(BuiltInDigests.of("faults/replaced"));
      assertThat(found.number(job, "failedTasks")).as(job).isZero();
    }
    assertThat(found.shuffle("faults/before", "writes.localBytes")).isZero();
    assertAllLocal(found, "faults/quota@registered", MAPS);
    assertThat(found.fallbacks())
        .as("fallback reason of the third shuffle")
        .singleElement()
        .asString()
        .startsWith("DENIED");
    assertThat(found.setting("spark.rss.client.rpc.maxAttempts"))
        .as("setting from the coordinator")
        .isEqualTo("4");
  }

  private void killServer(int number) {
    cluster.servers().get(number).kill();
  }

  /** Blocks that each server accepted since its start. */
  private long[] pushedBlocks() throws IOException {
    long[] blocks = new long[SERVERS];
    for (int i = 0; i < SERVERS; i++) {
      blocks[i] = probe.status(cluster.servers().get(i)).getPushedBlocks();
    }
    return blocks;
  }

  private void mend() throws IOException, InterruptedException {
    for (ClusterNode server : cluster.servers()) {
      if (!server.isAlive()) {
        server.start();
      }
    }
    probe.awaitActiveServers(SERVERS, TIMEOUT);
  }

  /** Kills the executor that ran the newest map attempt; returns the number of its attempts. */
  private static int killExecutor(SparkApplication application, String job) throws IOException {
    Path notes = application.directory().resolve("faults").resolve(job).resolve("maps");
    List<String> executors = new ArrayList<>();
    try (Stream<Path> files = Files.list(notes)) {
      for (Path file : files.toList()) {
        executors.add(Files.readString(file));
      }
    }
    String lost = executors.get(executors.size() - 1);
    ProcessHandle executor =
        ProcessHandle.of(Long.parseLong(lost.substring(lost.indexOf(' ') + 1))).orElseThrow();
    executor.destroyForcibly();
    try {
      executor.onExit().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | InterruptedException | TimeoutException e) {
      throw new IllegalStateException("executor does not exit pid=" + lost, e);
    }
    return (int) executors.stream().filter(lost::equals).count();
  }

  @Test
  void blocksGoToAReplacementServerAndToLocalOutputOnlyWithoutAny()
      throws IOException, InterruptedException {
    int[] lost = new int[1];
    SparkApplication application = application("fallback", "fallback");
    application
        .at("replaced/registered", () -> killServer(0))
        .at("mend", this::mend)
        .at("local/registered", () -> cluster.servers().forEach(ClusterNode::kill))
        .at("local/mapped", () -> lost[0] = killExecutor(application, "local"));

    Outcome found = application.run(List.of(REPLACED, "pause:mend", ALL_LOCAL));
    mend();

    assertThroughSluice(found);
    assertThat(found.digest(REPLACED)).isEqualTo(BuiltInDigests.of("faults/replaced"));
    assertThat(found.number(REPLACED, "failedTasks")).isZero();
    assertThat(found.number(REPLACED, "mapTasks")).isEqualTo(MAPS);
    assertThat(found.number(REPLACED, "localBytesRead")).isZero();
    assertThat(found.shuffle(REPLACED, "generation")).as("servers replaced").isEqualTo(1);
    assertThat(found.shuffle(REPLACED, "writes.localBytes")).isZero();

    assertThat(found.digest(ALL_LOCAL)).isEqualTo(BuiltInDigests.of("faults/replaced"));
    assertAllLocal(found, ALL_LOCAL, MAPS + lost[0]);
    assertThat(found.number(ALL_LOCAL, "mapTasks"))
        .as("only maps of the lost executor are repeated")
        .isEqualTo(MAPS + lost[0]);
    assertThat(lost[0]).isBetween(1, MAPS - 1);
  }

  @Test
  void theExternalShuffleServiceServesLocalOutputWhenItsExecutorIsGone()
      throws IOException, InterruptedException {
    try (ExternalShuffleService service =
        new ExternalShuffleService(directory.resolve("service"))) {
      service.start();
      SparkApplication application =
          service.configure(application("with-service", "fallback").withOneExecutor());
      application
          .at("local/registered", () -> cluster.servers().forEach(ClusterNode::kill))
          .at("local/mapped", () -> killExecutor(application, "local"));

      Outcome found = application.run(List.of(ALL_LOCAL));
      mend();

      assertThroughSluice(found);
      assertThat(found.digest(ALL_LOCAL)).isEqualTo(BuiltInDigests.of("faults/replaced"));
      assertThat(found.number(ALL_LOCAL, "mapTasks")).as("no map is repeated").isEqualTo(MAPS);
      assertThat(found.number(ALL_LOCAL, "fetchFailures")).isZero();
      assertThat(found.number(ALL_LOCAL, "remoteBytesRead")).isPositive();
    }
  }

  @Test
  void withoutLocalOutputTheLostMapsAreRunAgainAndSpecialStagesAsSparkDemands()
      throws IOException, InterruptedException {
    SparkApplication application = application("never", "never").withOneExecutor();
    long[] before = pushedBlocks();
    long[] ofExact = new long[SERVERS];
    for (int i = 0; i < LOSSES.size(); i++) {
      int server = i;
      application
          .at(
              LOSSES.get(i),
              () -> {
                if (LOSSES.get(server).equals(EXACT)) {
                  long[] now = pushedBlocks();
                  Arrays.setAll(ofExact, one -> now[one] - before[one]);
                }
                killServer(server);
              })
          .at("mend-" + i, this::mend);
    }
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < LOSSES.size(); i++) {
      jobs.addAll(List.of(LOSSES.get(i), "pause:mend-" + i));
    }

    Outcome found = application.run(jobs);

    assertThroughSluice(found);
    for (String job : LOSSES) {
      assertThat(found.digest(job)).as(job).isEqualTo(BuiltInDigests.of(job));
    }
    assertThat(found.number(EXACT, "fetchFailures")).isPositive();
    // The coordinator assigns about a third of the partitions to each server. If a push was
    // repeated at another server, both can have the block.
    long lost = ofExact[LOSSES.indexOf(EXACT)];
    long copies = Arrays.stream(ofExact).sum() - MAPS_OF_EXACT;
    assertThat(lost).as("maps that wrote to the lost server").isPositive();
    assertThat(found.number(EXACT, "mapTasks"))
        .as("all maps, and again the %d that wrote to the lost server, %d copies", lost, copies)
        .isBetween(MAPS_OF_EXACT + lost - copies, MAPS_OF_EXACT + lost);
    assertThat(found.number(EXACT, "failedStages"))
        .as("two maps are found missing at a time; the second failure names nearly all")
        .isLessThanOrEqualTo(3);
    assertThat(found.anyReassigned()).as("repeated maps push to another server").isTrue();
  }
}
