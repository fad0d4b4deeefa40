package io.sluice.it.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.sluice.it.cluster.PluginJar;
import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every kind of shuffle must have the same result over Sluice and over the built-in shuffle. The
 * baseline runs once, then one application per configuration, on servers with little or with enough
 * memory.
 *
 * <p>Every task metric and SQL metric is compared, too. The table in docs/spark.md lists allowed
 * differences and reasons; a metric that is missing in the table fails the test.
 */
@TestInstance(Lifecycle.PER_CLASS)
class SparkOnSluiceTest {
  private static final List<String> SOME_JOBS =
      List.of("groupByKey", "aggregateByKey", "largeRecords", "twoStages", "skewJoin");

  private static final List<String> MEASURED_JOBS =
      List.of(
          "groupByKey",
          "sortByKey",
          "aggregateByKey",
          "repartition",
          "javaSerializerFewPartitions",
          "javaSerializerManyPartitions",
          "javaSerializerCombine",
          "emptyShuffle",
          "manyPartitions",
          "aggregate",
          "join",
          "window",
          "skewJoin",
          "notAdaptive");

  /** Jobs whose map tasks spill, because they use Spark's sorter. */
  private static final List<String> COMBINING_JOBS =
      List.of("aggregateByKey", "javaSerializerManyPartitions", "javaSerializerCombine");

  /** Maximum number of lines that Sluice logs for a healthy application. */
  private static final int MAX_LINES_OF_APPLICATION = 20;

  @TempDir static Path directory;

  private LocalCluster cluster;
  private ClusterProbe probe;
  private Outcome own;

  @BeforeAll
  void startClusterAndRunTheBaseline() throws IOException, InterruptedException {
    cluster = cluster("small", "32MiB");
    probe = new ClusterProbe(cluster);
    List<String> jobs = new ArrayList<>(JobKinds.SHUFFLES);
    jobs.add("pauseBetweenShuffles");
    own =
        spilling(new SparkApplication(directory.resolve("own")))
            // Memory metrics depend on the memory and the cores of an executor.
            .set("spark.master", "local-cluster[2,1,1024]")
            .run(jobs);
    assertThat(own.exitCode()).as(own.log()).isZero();
  }

  @AfterAll
  void stopCluster() {
    if (cluster != null) {
      probe.close();
      cluster.close();
    }
  }

  /** Sorters of tasks spill. */
  private static SparkApplication spilling(SparkApplication application) {
    return application.set("spark.shuffle.spill.numElementsForceSpillThreshold", "2000");
  }

  private static LocalCluster cluster(String name, String bufferCapacity)
      throws IOException, InterruptedException {
    LocalCluster started =
        TestCluster.builder(directory.resolve(name))
            .configureServers("rss.server.buffer.capacity", bufferCapacity)
            .build();
    started.start();
    try (ClusterProbe probe = new ClusterProbe(started)) {
      probe.awaitActiveServers(2, Duration.ofSeconds(30));
    }
    return started;
  }

  private void assertSame(Outcome found, List<String> jobs) {
    assertThat(found.exitCode()).as(found.log()).isZero();
    for (String job : jobs) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
      assertThat(found.number(job, "rows")).as(job).isEqualTo(own.number(job, "rows"));
      assertThat(found.number(job, "failedTasks")).as(job + " failed tasks").isZero();
      assertThat(found.number(job, "localBytesRead")).as(job + " read from local disks").isZero();
    }
  }

  @Test
  void everyJobIsTheSameOverNettyWhileTasksAndServersSpill()
      throws IOException, InterruptedException {
    ClusterCounters before = probe.counters();

    SparkApplication application =
        spilling(SparkApplication.onSluice(directory.resolve("netty"), cluster.quorum()))
            .withLoggerNames()
            // An unchanged configuration of a Uniffle user.
            .set("spark.rss.storage.type", "MEMORY_LOCALFILE")
            .set("spark.rss.writer.buffer.spill.size", "1g")
            .set("spark.rss.writer.buffer.size", "16m")
            .set("spark.rss.client.send.size.limit", "32m")
            .set("spark.rss.client.rpc.maxAttempts", "50")
            .set("spark.rss.resubmit.stage", "false")
            .set("spark.rss.client.type", "GRPC_NETTY")
            .set("spark.rss.client.netty.io.mode", "EPOLL")
            .set("spark.rss.client.sned.size.limit", "32m");

    Outcome found = application.run(JobKinds.SHUFFLES);

    assertSame(found, JobKinds.SHUFFLES);
    ClusterCounters did = probe.counters().since(before);
    assertThat(did.spilledBytes()).isPositive();
    long written = 0;
    for (String job : JobKinds.SHUFFLES) {
      written += found.number(job, "bytesWritten");
      assertThat(found.number(job, "recordsWritten"))
          .as(job)
          .isEqualTo(own.number(job, "recordsWritten"));
      assertThat(found.number(job, "recordsRead"))
          .as(job)
          .isEqualTo(own.number(job, "recordsRead"));
      if (found.number(job, "recordsWritten") > 0) {
        assertThat(found.number(job, "writeNanos")).as(job).isPositive();
        assertThat(found.number(job, "remoteBytesRead")).as(job).isPositive();
        assertThat(found.number(job, "remoteBlocks")).as(job).isPositive();
      }
    }
    assertThat(did.pushedBytes())
        .as("servers accepted all bytes that tasks reported as written")
        .isEqualTo(written);
    assertThat(did.fetchedBytes()).isPositive();
    assertAdaptivePlans(found);
    assertMetricsMatchTheTable(found);
    assertThat(found.linesWith("spark.rss.client.sned.size.limit")).isEqualTo(1);
    assertThat(found.log().lines().filter(line -> line.contains("sned.size.limit")).findFirst())
        .get()
        .asString()
        .contains("spark.rss.client.send.size.limit");
    assertFewLogLines(application);
  }

  private void assertMetricsMatchTheTable(Outcome found) {
    MetricRules rules = MetricRules.ofDocumentation();
    List<String> wrong = new ArrayList<>();
    for (String job : MEASURED_JOBS) {
      Set<String> names = new TreeSet<>(own.metrics(job).keySet());
      names.addAll(found.metrics(job).keySet());
      for (String name : names) {
        rules
            .check(name, own.metrics(job).get(name), found.metrics(job).get(name))
            .ifPresent(problem -> wrong.add(job + " " + name + ": " + problem));
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(MEASURED_JOBS)
        .anyMatch(job -> found.metrics(job).get("shuffle.read.remoteReqsDuration").value() > 0);
    for (String job : COMBINING_JOBS) {
      for (String metric : List.of("memoryBytesSpilled", "diskBytesSpilled")) {
        assertThat(own.metrics(job).get(metric).value()).as(job + " " + metric).isPositive();
        assertThat(found.metrics(job).get(metric).value())
            .as(job + " " + metric)
            .isCloseTo(own.metrics(job).get(metric).value(), withPercentage(10));
      }
    }
  }

  private static void assertFewLogLines(SparkApplication application) throws IOException {
    assertThat(application.executorLogs()).as("executor logs").isNotEmpty();
    assertThat(application.sluiceLinesOfExecutors()).as("lines of healthy tasks").isEmpty();
    assertThat(application.sluiceLinesOfDriver())
        .as("lines of a healthy application")
        .hasSizeBetween(1, MAX_LINES_OF_APPLICATION);
  }

  @Test
  void someJobsAreTheSameOverGrpcInMemoryWithEncryption() throws IOException, InterruptedException {
    assertSameOverGrpcInMemory(
        "some",
        Map.of("spark.io.compression.codec", "snappy", "spark.io.encryption.enabled", "true"),
        SOME_JOBS);
  }

  @Test
  @Tag("nightly")
  void everyJobIsTheSameOverGrpcInMemory() throws IOException, InterruptedException {
    assertAdaptivePlans(
        assertSameOverGrpcInMemory(
            "every", Map.of("spark.io.compression.codec", "zstd"), JobKinds.SHUFFLES));
  }

  private Outcome assertSameOverGrpcInMemory(
      String name, Map<String, String> settings, List<String> jobs)
      throws IOException, InterruptedException {
    try (LocalCluster large = cluster("large-" + name, "512MiB");
        ClusterProbe largeProbe = new ClusterProbe(large)) {
      SparkApplication application =
          SparkApplication.onSluice(directory.resolve("grpc-" + name), large.quorum())
              .withOneExecutor()
              .set("spark.rss.client.type", "GRPC")
              // Less than the output of one map task, so that it is pushed in many passes.
              .set("spark.rss.writer.buffer.spill.size", "2m");
      settings.forEach(application::set);

      Outcome found = application.run(jobs);

      assertSame(found, jobs);
      ClusterCounters did = largeProbe.counters();
      assertThat(did.pushedBytes()).isPositive();
      assertThat(did.spilledBytes()).isZero();
      assertThat(did.fetchedFromMemoryBytes()).isPositive().isEqualTo(did.fetchedBytes());
      return found;
    }
  }

  private static void assertAdaptivePlans(Outcome found) {
    assertThat(found.results().getProperty("coalesced.plan")).contains("AQEShuffleRead coalesced");
    assertThat(found.results().getProperty("skewJoin.plan")).contains("coalesced and skewed");
    assertThat(found.results().getProperty("localReader.plan")).contains("AQEShuffleRead local");
    assertThat(found.results().getProperty("notAdaptive.plan")).doesNotContain("AQEShuffleRead");
  }

  @Test
  @Tag("nightly")
  void jobsAreTheSameUncompressed() throws IOException, InterruptedException {
    Outcome found =
        SparkApplication.onSluice(directory.resolve("none"), cluster.quorum())
            .withOneExecutor()
            .set("spark.shuffle.compress", "false")
            .set("spark.rss.client.netty.io.mode", "NIO")
            .run(SOME_JOBS);

    assertSame(found, SOME_JOBS);
    assertThat(found.number("groupByKey", "bytesWritten"))
        .isGreaterThan(own.number("groupByKey", "bytesWritten"));
  }

  @Test
  void aCoordinatorRestartRepeatsNoTaskAndALostServerItsMapsTogether()
      throws IOException, InterruptedException {
    String restarted = "pauseBetweenShuffles";
    String lost = restarted + "#lost";
    Deque<SparkApplication.Action> changes =
        new ArrayDeque<>(List.of(this::restartCoordinator, this::loseServer));

    Outcome found =
        SparkApplication.onSluice(directory.resolve("changes"), cluster.quorum())
            .withOneExecutor()
            // Also a codec of Spark that Sluice does not support.
            .set("spark.io.compression.codec", "lzf")
            .at("between-shuffles", () -> changes.remove().run())
            .run(List.of(restarted, lost, "twoStages"));

    assertThat(found.exitCode()).as(found.log()).isZero();
    assertThat(found.fallbacks()).isEmpty();
    assertThat(found.digest(restarted)).isEqualTo(own.digest(restarted));
    assertThat(found.number(restarted, "failedTasks")).isZero();
    assertThat(found.number(restarted, "localBytesRead")).isZero();
    assertThat(found.digest(lost)).isEqualTo(own.digest(restarted));
    // Six maps were lost: one failure per map would exceed Spark's limit for a stage.
    assertThat(found.number(lost, "failedTasks")).isPositive();
    assertThat(found.number(lost, "localBytesRead")).isZero();
    assertThat(found.digest("twoStages")).isEqualTo(own.digest("twoStages"));
    assertThat(found.linesWith("codec=lzf")).isEqualTo(1);
  }

  private void restartCoordinator() throws IOException, InterruptedException {
    cluster.coordinator().restart();
    probe.awaitActiveServers(2, Duration.ofSeconds(30));
  }

  private void loseServer() throws IOException, InterruptedException {
    cluster.servers().get(0).kill();
    startServers();
  }

  private void startServers() throws IOException, InterruptedException {
    for (ClusterNode server : cluster.servers()) {
      if (!server.isAlive()) {
        server.start();
      }
    }
    probe.awaitActiveServers(2, Duration.ofSeconds(60));
  }

  @Test
  void withoutServersJobsFallBackWithOneWarning() throws IOException, InterruptedException {
    List<String> jobs = List.of("groupByKey", "twoStages", "aggregate");
    cluster.servers().forEach(ClusterNode::stop);
    probe.awaitActiveServers(0, Duration.ofSeconds(60));

    Outcome found =
        SparkApplication.onSluice(directory.resolve("no-servers"), cluster.quorum())
            .withOneExecutor()
            .run(jobs);
    startServers();

    assertFellBackWithOneWarning(found, jobs);
  }

  @Test
  @Tag("nightly")
  void withoutCoordinatorJobsFallBackWithOneWarning() throws IOException, InterruptedException {
    List<String> jobs = List.of("twoStages");

    Outcome found =
        SparkApplication.onSluice(directory.resolve("no-coordinator"), "127.0.0.1:1")
            .withOneExecutor()
            .run(jobs);

    assertFellBackWithOneWarning(found, jobs);
  }

  private void assertFellBackWithOneWarning(Outcome found, List<String> jobs) {
    assertThat(found.exitCode()).isZero();
    for (String job : jobs) {
      assertThat(found.digest(job)).as(job).isEqualTo(own.digest(job));
      assertThat(found.number(job, "failedTasks")).as(job).isZero();
    }
    assertThat(found.shufflesOnSluice()).isZero();
    assertThat(found.fallbacks()).isNotEmpty();
    // The warning in the user's log, once for all shuffles.
    assertThat(found.linesWith("falling back to Spark's built-in shuffle")).isEqualTo(1);
  }

  @Test
  void theJarContainsOnlyRelocatedClasses() throws IOException {
    try (ZipFile jar = new ZipFile(SparkApplication.clientJar().toFile())) {
      List<String> names = jar.stream().map(ZipEntry::getName).toList();

      assertThat(names)
          .filteredOn(name -> name.endsWith(".class"))
          .allMatch(
              name ->
                  name.matches("(META-INF/versions/(9|11)/)?io/sluice/.+")
                      || name.matches("org/apache/spark/shuffle/(Delegation)?RssShuffle.+")
                      || name.equals("org/apache/spark/shuffle/DriverSide.class")
                      || name.equals("org/apache/spark/shuffle/EngineShuffles.class")
                      || name.equals("org/apache/spark/UnifflePlugin.class"));
      assertThat(names)
          .as("server side of the data protocol")
          .noneMatch(name -> name.matches("io/sluice/transport/server/.+"))
          .noneMatch(
              name -> name.matches("io/sluice/transport/protocol/(ServerHandshake|ConnectionG).+"))
          .anyMatch(name -> name.startsWith("io/sluice/transport/client/"));
      assertThat(names)
          .filteredOn(name -> name.startsWith("META-INF/native/") && !name.endsWith("/"))
          .isNotEmpty()
          .allMatch(name -> name.contains("/libio_sluice_shaded_netty_"));
      assertThat(names)
          .filteredOn(name -> name.startsWith("META-INF/services/") && !name.endsWith("/"))
          .allMatch(
              name ->
                  name.startsWith("META-INF/services/io.sluice.")
                      // Loaded by Spark's history server.
                      || name.endsWith("/org.apache.spark.status.AppHistoryServerPlugin"));
    }
  }

  @Test
  void theJarContainsEveryClassThatItsClassesNeed() throws IOException {
    assertThat(PluginJar.missingClasses(SparkApplication.clientJar())).isEmpty();
  }
}
