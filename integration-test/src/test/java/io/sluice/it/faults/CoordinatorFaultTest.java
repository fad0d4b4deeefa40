package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.test.TestEffort;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of coordinators with a quorum neither fail a job nor repeat a map task. Each job has two
 * shuffles: the fault is injected during the maps of the first one, and the second one is
 * registered, and reads the first one, before the cluster is repaired.
 */
class CoordinatorFaultTest {
  private static final int MAPS_OF_BOTH_SHUFFLES = 6 + 9;

  /** Regular expression that selects faults in manual runs. */
  private static final String ONLY_FAULTS = System.getProperty("sluice.test.faults", ".*");

  @TempDir Path directory;

  private SparkApplication application(String name, String quorum) {
    return FaultCluster.impatient(
        SparkApplication.onSluice(directory.resolve(name), quorum).withOneExecutor());
  }

  @Test
  @Timeout(300)
  void aJobContinuesWithTheNextLeader() throws IOException, InterruptedException {
    check(3, 1, List.of(CoordinatorFault.NONE, CoordinatorFault.LEADER_KILLED));
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  @Tag("nightly")
  @Timeout(7200)
  void noFaultDisturbsAJob(int coordinators) throws IOException, InterruptedException {
    check(
        coordinators,
        TestEffort.times(1),
        Stream.of(CoordinatorFault.values())
            .filter(fault -> fault == CoordinatorFault.NONE || fault.name().matches(ONLY_FAULTS))
            .toList());
  }

  private void check(int coordinators, int rounds, List<CoordinatorFault> faults)
      throws IOException, InterruptedException {
    try (LinkedCluster cluster = new LinkedCluster(directory.resolve("cluster"), coordinators)) {
      CoordinatorFaults injector = cluster.faults();
      SparkApplication application = application("job", cluster.quorum());
      Map<String, CoordinatorFault> jobs = new LinkedHashMap<>();
      List<String> program = new ArrayList<>();
      for (int round = 1; round <= rounds; round++) {
        for (CoordinatorFault fault : faults) {
          String name = fault + "-" + round;
          boolean mendsBefore = coordinators == 2 && fault.costsMember();
          String job = "stages/" + name + (mendsBefore ? "@in-map,mapped" : "@in-map");
          jobs.put(job, fault);
          application.at(name + "/in-map", () -> fault.inject(injector));
          // Without a majority, no coordinator can register the second shuffle.
          application.at(name + "/mapped", injector::mend);
          application.at("mend/" + name, injector::mend);
          program.addAll(List.of("pause:mend/" + name, job));
        }
      }

      Outcome found = application.run(program);
      injector.mend();

      SoftAssertions softly = new SoftAssertions();
      softly.assertThat(found.exitCode()).as(found.log()).isZero();
      softly.assertThat(found.fallbacks()).isEmpty();
      softly.assertThat(found.shufflesOnSluice()).isEqualTo(2L * jobs.size());
      softly.assertThat(found.anyReassigned()).isFalse();
      String right = found.digest(jobs.keySet().iterator().next());
      int undisturbed = 0;
      for (String job : jobs.keySet()) {
        undisturbed += assertUndisturbed(softly, found, job, right) ? 1 : 0;
      }
      System.out.printf(
          "coordinators: %d, jobs: %d, undisturbed: %d%n", coordinators, jobs.size(), undisturbed);
      softly.assertAll();
    }
  }

  private static boolean assertUndisturbed(
      SoftAssertions softly, Outcome found, String job, String right) {
    int before = softly.errorsCollected().size();
    softly.assertThat(found.error(job)).as(job).isEmpty();
    softly.assertThat(found.results().getProperty(job + ".digest")).as(job).isEqualTo(right);
    softly.assertThat(found.number(job, "failedTasks")).as(job + " failed tasks").isZero();
    softly.assertThat(found.number(job, "failedStages")).as(job + " failed stages").isZero();
    softly
        .assertThat(found.number(job, "mapTasks"))
        .as(job + " map tasks")
        .isEqualTo(MAPS_OF_BOTH_SHUFFLES);
    return softly.errorsCollected().size() == before;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  @Tag("nightly")
  @Timeout(400)
  void withoutAMajorityJobsContinueAndNewOnesUseTheBuiltInShuffle(int coordinators)
      throws IOException, InterruptedException {
    try (LinkedCluster cluster = new LinkedCluster(directory.resolve("cluster"), coordinators)) {
      List<ClusterNode> nodes = cluster.cluster().coordinators();
      SparkApplication application = application("running", cluster.quorum());
      application.at(
          "running/in-map", () -> nodes.subList(1, coordinators).forEach(ClusterNode::kill));

      Outcome found = application.run(List.of("faults/running@in-map"));

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.fallbacks()).isEmpty();
      assertThat(found.number("faults/running@in-map", "failedTasks")).isZero();
      assertThat(found.number("faults/running@in-map", "mapTasks")).isEqualTo(Expectation.MAPS);
      ClusterNode left = nodes.get(0);
      cluster
          .probe()
          .await(
              left.name() + " is not ready",
              Duration.ofSeconds(60),
              () -> ready(left).statusCode() == 503);
      assertThat(ready(left).body()).startsWith("unavailable: no quorum");
      assertFallsBackWithOneWarning(cluster.quorum());
    }
  }

  private static HttpResponse<String> ready(ClusterNode coordinator)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(coordinator.httpAddress() + "/readyz")).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private void assertFallsBackWithOneWarning(String quorum)
      throws IOException, InterruptedException {
    Outcome later =
        application("later", quorum)
            .set("spark.rss.access.timeout.ms", "10s")
            .run(List.of("stages/later"));
    assertThat(later.exitCode()).as(later.log()).isZero();
    assertThat(later.shufflesOnSluice()).isZero();
    assertThat(later.fallbacks()).hasSize(2).allMatch(why -> why.startsWith("NO_COORDINATOR"));
    assertThat(later.linesWith("falling back to Spark's built-in shuffle"))
        .as(later.log())
        .isEqualTo(1);
  }

  /** Linux drops connection attempts to a listener whose backlog is full. */
  @Test
  @Tag("nightly")
  @Timeout(300)
  void anApplicationStartsAlthoughACoordinatorDropsItsPackets()
      throws IOException, InterruptedException {
    try (LinkedCluster cluster = new LinkedCluster(directory.resolve("cluster"), 2);
        ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      List<Socket> waiting = fill(full);
      String dropping = "127.0.0.1:" + full.getLocalPort();

      Outcome found =
          application("one", dropping + "," + cluster.quorum()).run(List.of("stages/one"));

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.shufflesOnSluice()).as(found.log()).isEqualTo(2);
      assertFallsBackWithOneWarning(dropping);
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }

  private static List<Socket> fill(ServerSocket listener) throws IOException {
    List<Socket> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Socket socket = new Socket();
      waiting.add(socket);
      try {
        socket.connect(listener.getLocalSocketAddress(), 100);
      } catch (SocketTimeoutException e) {
        break;
      }
    }
    return waiting;
  }
}
