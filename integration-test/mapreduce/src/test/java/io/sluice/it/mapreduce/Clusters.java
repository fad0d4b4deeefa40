package io.sluice.it.mapreduce;

import io.sluice.it.cluster.TestCluster;
import io.sluice.it.spark.EngineJava;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.HadoopHome;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.LocalCluster;
import io.sluice.localcluster.YarnCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A mini cluster of YARN and a coordinator with servers, as processes, for all tests of this
 * module; {@link SharedClusters} starts and ends them.
 */
final class Clusters implements AutoCloseable {
  static final int SERVERS = 3;

  /** One more than jobs need: a test may stop a node. */
  private static final int NODES = 3;

  /** Time limit of all tests together; each job also has its own limit. */
  private static final Duration LIMIT = Duration.ofMinutes(60);

  private static final Pattern FINAL_STATUS = Pattern.compile("Final-State : (\\w+)");

  private static final String AM_OPTIONS = "yarn.app.mapreduce.am.command-opts";
  private static final String MASTER = "org.apache.hadoop.mapreduce.v2.app.RssMRAppMaster";

  /**
   * Hadoop 3.3 does not add this option for Java 17; later versions append it after all other
   * options, which is too late for Sluice's application master.
   */
  private static final String OPENS_LANG = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  private static final Path ROOT =
      Path.of(System.getProperty("user.dir")).resolve("../..").normalize();

  private final Path directory;
  private final YarnCluster yarn;
  private final LocalCluster sluice;
  private final ClusterProbe probe;

  Clusters() throws IOException {
    directory =
        Files.createTempDirectory(
            Files.createDirectories(
                Path.of(System.getProperty("user.dir")).resolve("target/clusters")),
            "run-");
    yarn = yarn("yarn", "demo/hadoop-home", NODES, 1280, EngineJava.ofTests());
    sluice = sluice(directory.resolve("sluice"), 1);
    probe = new ClusterProbe(sluice);
  }

  /**
   * Coordinators and {@link #SERVERS} servers, which the caller starts and closes.
   *
   * @param directory directory for all files; created here
   */
  LocalCluster sluice(Path directory, int coordinators) {
    return TestCluster.builder(directory)
        .coordinators(coordinators)
        .servers(SERVERS)
        .configureCoordinators("rss.coordinator.server.heartbeat.interval", "200ms")
        .configureCoordinators("rss.coordinator.server.heartbeat.timeout", "3s")
        .configureServers("rss.server.heartbeat.interval", "200ms")
        .configureServers("rss.server.decommission.check.interval", "200ms")
        .serverJvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        .build();
  }

  /**
   * A cluster of another Hadoop release, which the caller starts and closes.
   *
   * @param release release such as {@code 3.3}
   */
  YarnCluster otherYarn(String release) throws IOException {
    return otherYarn(release, EngineJava.ofTests());
  }

  /**
   * A cluster of another Hadoop release, which the caller starts and closes.
   *
   * @param release release such as {@code 3.3}
   * @param java runtime of application masters and tasks; daemons run in that of the tests
   */
  YarnCluster otherYarn(String release, EngineJava java) throws IOException {
    return yarn(
        "yarn-" + release + "-java-" + java.feature(),
        "integration-test/hadoop-" + release,
        1,
        2560,
        java);
  }

  private YarnCluster yarn(
      String name, String homeModule, int nodes, int nodeMemoryMb, EngineJava java)
      throws IOException {
    Path jars = ROOT.resolve(homeModule).resolve("target/jars.txt");
    if (!Files.exists(jars)) {
      throw new IllegalStateException("no " + jars + ": run integration-test/fetch-engines");
    }
    HadoopHome resolved = HadoopHome.resolved(jars, directory.resolve("hadoop-of-" + name));
    List<String> entries = new ArrayList<>(resolved.entries());
    entries.add(ROOT.resolve("integration-test/mapreduce-jobs/target/classes").toString());
    Map<String, String> settings = YarnCluster.smallJobs();
    settings.put(AM_OPTIONS, masterOptions(java));
    for (String process : List.of("yarn.app.mapreduce.am", "mapreduce.map", "mapreduce.reduce")) {
      settings.put(process + ".env.JAVA_HOME", java.home().toString());
    }
    settings.put(
        "yarn.resourcemanager.application-master-service.processors",
        "io.sluice.it.mapreduce.jobs.RecordedRequests");
    settings.put("sluice.test.requests.directory", directory("requests").toString());
    return new YarnCluster(
        new YarnCluster.Plan(
            directory.resolve(name),
            new HadoopHome(entries),
            ROOT.resolve("demo/mapreduce/target/classes"),
            nodes,
            nodeMemoryMb,
            List.of("-Xmx400m", "-XX:TieredStopAtLevel=1"),
            settings,
            LIMIT));
  }

  void start() throws IOException, InterruptedException {
    sluice.start();
    yarn.start();
    awaitServers();
  }

  YarnCluster yarn() {
    return yarn;
  }

  ClusterProbe probe() {
    return probe;
  }

  LocalCluster sluice() {
    return sluice;
  }

  /** A directory for a test, in the file system of the jobs. */
  Path directory(String name) throws IOException {
    return Files.createDirectories(directory.resolve("tests").resolve(name));
  }

  /**
   * Resource names in the container requests of an application: hosts, racks, and {@code *} for any
   * host.
   */
  Set<String> requestedLocations(String application) throws IOException {
    return new TreeSet<>(Files.readAllLines(directory("requests").resolve(application)));
  }

  /** Final status of an application from the resource manager, such as {@code SUCCEEDED}. */
  String finalStatus(String application) throws IOException, InterruptedException {
    String report =
        HadoopProgram.of(yarn, "org.apache.hadoop.yarn.client.cli.ApplicationCLI")
            .arguments("application", "-status", application)
            .run(Duration.ofMinutes(1))
            .printed();
    Matcher status = FINAL_STATUS.matcher(report);
    if (!status.find()) {
      throw new IOException("no final status of " + application + ": " + report);
    }
    return status.group(1);
  }

  /** Restarts servers that a test has stopped, and waits for them. */
  void awaitServers() throws IOException, InterruptedException {
    for (ClusterNode server : sluice.servers()) {
      if (!server.isAlive()) {
        server.start();
      }
    }
    probe.awaitActiveServers(SERVERS, Duration.ofSeconds(60));
  }

  /** Number of servers that store data of any application. */
  int serversThatKnowApplications() throws IOException {
    int count = 0;
    for (ClusterNode server : sluice.servers()) {
      count += probe.status(server).getApplications() > 0 ? 1 : 0;
    }
    return count;
  }

  /** Waits for a condition. */
  void await(String what, ClusterProbe.Condition condition)
      throws IOException, InterruptedException {
    probe.await(what, Duration.ofSeconds(60), condition);
  }

  private static String masterOptions(EngineJava java) {
    String options = YarnCluster.smallJobs().get(AM_OPTIONS);
    return java.hasModules() ? options + " " + OPENS_LANG : options;
  }

  /** Job settings to use Sluice, with retry periods of seconds. */
  Map<String, String> throughSluice() {
    return throughSluice(sluice.quorum());
  }

  /** As {@link #throughSluice()}, for application masters in a Java runtime. */
  Map<String, String> throughSluice(EngineJava java) {
    Map<String, String> settings = throughSluice();
    settings.put(AM_OPTIONS, masterOptions(java) + " " + MASTER);
    return settings;
  }

  Map<String, String> throughSluice(String quorum) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("mapreduce.application.classpath", clientJar().toString());
    settings.put(AM_OPTIONS, masterOptions(EngineJava.ofTests()) + " " + MASTER);
    settings.put(
        "mapreduce.job.map.output.collector.class",
        "org.apache.hadoop.mapred.RssMapOutputCollector");
    settings.put(
        "mapreduce.job.reduce.shuffle.consumer.plugin.class",
        "org.apache.hadoop.mapreduce.task.reduce.RssShuffle");
    settings.put("mapreduce.rss.coordinator.quorum", quorum);
    // Masters start on machines that are overloaded with other tests.
    settings.put("mapreduce.rss.access.timeout.ms", "2m");
    settings.put("mapreduce.rss.client.connect.timeout", "2s");
    settings.put("mapreduce.rss.client.rpc.timeout.ms", "3s");
    settings.put("mapreduce.rss.client.server.unreachable.timeout", "2s");
    settings.put("mapreduce.rss.client.send.check.timeout.ms", "5s");
    settings.put("mapreduce.rss.client.retry.interval.max", "300ms");
    return settings;
  }

  /** Class path of the jobs. */
  static Path clientJar() {
    Path target = ROOT.resolve("client-mr/target");
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(
              file ->
                  file.getFileName()
                      .toString()
                      .matches("sluice-client-mr-\\d(?!.*(sources|tests))[^/]*\\.jar"))
          .findFirst()
          .orElseThrow();
    } catch (IOException | RuntimeException e) {
      throw new IllegalStateException(
          "no sluice-client-mr-*.jar in "
              + target
              + ": build with mvn -pl integration-test/mapreduce -am verify",
          e);
    }
  }

  @Override
  public void close() {
    yarn.close();
    probe.close();
    sluice.close();
  }
}
