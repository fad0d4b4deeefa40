package io.sluice.localcluster;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Hadoop's mini cluster in a separate process: resource manager, node managers with their shuffle
 * handlers, history server. Every container is a descendant process of it. The file system is the
 * local one.
 *
 * <p>Used from one thread; {@link #close} may also be called from a shutdown hook.
 */
public final class YarnCluster implements AutoCloseable {
  private static final String MAIN_CLASS = "io.sluice.demo.mapreduce.YarnHost";
  private static final String HOST = "127.0.0.1";
  private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);
  private static final long POLL_MS = 50;

  /** JVM options of Hadoop's servers on Java 17. Hadoop sets the options of tasks itself. */
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-XX:+UseSerialGC",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--add-opens=java.base/java.net=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED");

  private static final String LOGGING =
      """
      log4j.rootLogger=%s,err
      log4j.appender.err=org.apache.log4j.ConsoleAppender
      log4j.appender.err.target=System.err
      log4j.appender.err.layout=org.apache.log4j.PatternLayout
      log4j.appender.err.layout.ConversionPattern=%%d{ISO8601} %%p %%c{1}: %%m%%n
      """;

  /** Settings of one queue that application masters may fill. */
  private static final Map<String, String> SCHEDULER =
      Map.of(
          "yarn.scheduler.capacity.root.queues", "default",
          "yarn.scheduler.capacity.root.default.capacity", "100",
          "yarn.scheduler.capacity.maximum-am-resource-percent", "1.0",
          "yarn.scheduler.capacity.node-locality-delay", "-1");

  /**
   * Description of a cluster.
   *
   * @param directory for all its files; {@link #start} creates it
   * @param home Hadoop installation that all processes run on
   * @param hostJar the jar, or directory, with the main class of the process
   * @param nodes number of node managers
   * @param nodeMemoryMb memory of each node manager for containers
   * @param jvmOptions of the mini cluster's process, at least its heap size
   * @param settings Hadoop settings of servers, application masters and tasks; they override the
   *     defaults of this class
   * @param limit time after which the process ends itself
   */
  public record Plan(
      Path directory,
      HadoopHome home,
      Path hostJar,
      int nodes,
      int nodeMemoryMb,
      List<String> jvmOptions,
      Map<String, String> settings,
      Duration limit) {
    public Plan {
      jvmOptions = List.copyOf(jvmOptions);
      settings = Map.copyOf(settings);
    }
  }

  private final Plan plan;
  private final Thread shutdownHook = new Thread(this::kill, "yarn-cluster-stop");
  private Process process;

  public YarnCluster(Plan plan) {
    this.plan = plan;
  }

  /**
   * Starts the process and waits until the cluster accepts jobs.
   *
   * @throws IOException if the process ends, or is not ready within two minutes
   */
  public void start() throws IOException, InterruptedException {
    Files.createDirectories(plan.directory());
    Path serverConfiguration = Files.createDirectories(plan.directory().resolve("host-conf"));
    Path settings = serverConfiguration.resolve("cluster.xml");
    HadoopConfiguration.write(settings, settings());
    HadoopConfiguration.write(serverConfiguration.resolve("capacity-scheduler.xml"), SCHEDULER);
    writeLogging(serverConfiguration);
    Files.createDirectories(configuration());
    writeLogging(configuration());
    Path ready = configuration().resolve("yarn-site.xml");

    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(JVM_OPTIONS);
    command.addAll(plan.jvmOptions());
    command.add("-Djava.io.tmpdir=" + temporary());
    command.add("-cp");
    command.add(
        String.join(
            File.pathSeparator,
            serverConfiguration.toString(),
            plan.hostJar().toString(),
            plan.home().classPath()));
    command.addAll(List.of(MAIN_CLASS, settings.toString(), Integer.toString(plan.nodes())));
    command.addAll(List.of(ready.toString(), Long.toString(plan.limit().toMinutes())));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(plan.directory().toFile())
            .redirectErrorStream(true)
            .redirectOutput(logFile().toFile());
    HadoopProgram.cleanEnvironment(builder.environment());
    // The JVM of containers.
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    Runtime.getRuntime().addShutdownHook(shutdownHook);
    process = builder.start();
    try {
      awaitReady(ready);
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Stops a node manager permanently, as if its machine were switched off. Returns before the node
   * manager has stopped.
   *
   * @param node its number, from 0, as in {@link YarnContainer#node}
   */
  public void loseNode(int node) throws IOException {
    OutputStream commands = process.getOutputStream();
    commands.write(("lose " + node + "\n").getBytes(StandardCharsets.US_ASCII));
    commands.flush();
  }

  /** Configuration directory on the class path of programs. */
  public Path configuration() {
    return plan.directory().resolve("conf");
  }

  public HadoopHome home() {
    return plan.home();
  }

  public Path directory() {
    return plan.directory();
  }

  /** File with the output of the process. */
  public Path logFile() {
    return plan.directory().resolve("yarn.log");
  }

  /** Processes of the running containers, without the shells that start them. */
  public List<YarnContainer> containers() {
    return YarnContainer.among(process.toHandle().descendants());
  }

  /** CPU time used until now. */
  public YarnCpu cpu() throws IOException {
    return YarnCpu.of(process.pid());
  }

  /**
   * Waits until no container is left: an application master stays for some seconds after its job.
   *
   * @throws IOException if a container still runs after {@code timeout}
   */
  public void awaitIdle(Duration timeout) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    while (process.descendants().findAny().isPresent()) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new IOException(
            "containers still run after " + timeout.toSeconds() + " s: " + containers());
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  /**
   * Logs of the containers of an application until now, also what their JVMs print.
   *
   * @param application such as {@code application_1700000000000_0001}
   */
  public String containerLogs(String application) throws IOException {
    StringBuilder all = new StringBuilder();
    // Lists only these directories: others may disappear during the listing.
    for (Path node : matching(plan.directory().resolve("target/test/data/yarn"), "yarn-*")) {
      for (Path logs : matching(node, "yarn-logDir-*")) {
        for (Path container : matching(logs.resolve(application), "container_*")) {
          all.append("== ").append(container.getFileName()).append('\n');
          for (String name : List.of("syslog", "stderr")) {
            Path log = container.resolve(name);
            if (Files.exists(log)) {
              all.append(Files.readString(log));
            }
          }
        }
      }
    }
    return all.toString();
  }

  /**
   * History files of a job that has not ended yet; text if the job's {@code
   * mapreduce.jobhistory.jhist.format} is {@code json}.
   */
  public String unfinishedHistory(String application) throws IOException {
    String job = application.replace("application_", "job_");
    StringBuilder all = new StringBuilder();
    for (Path node : matching(plan.directory().resolve("target/test/data/yarn"), "yarn-*")) {
      for (Path user : matching(node.resolve("apps_staging_dir"), "*")) {
        for (Path file : matching(user.resolve(".staging").resolve(job), job + "_*.jhist")) {
          all.append(Files.readString(file, StandardCharsets.ISO_8859_1));
        }
      }
    }
    return all.toString();
  }

  /** Directories in which nodes and programs store data, without logs and settings. */
  public List<Path> dataDirectories() throws IOException {
    List<Path> found = new ArrayList<>(matching(plan.directory(), "tmp"));
    for (Path node : matching(plan.directory().resolve("target/test/data/yarn"), "yarn-*")) {
      found.addAll(matching(node, "yarn-localDir-*"));
    }
    return found;
  }

  private static List<Path> matching(Path directory, String glob) throws IOException {
    List<Path> found = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, glob)) {
        entries.forEach(found::add);
      }
    }
    return found;
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  Path temporary() throws IOException {
    return Files.createDirectories(plan.directory().resolve("tmp"));
  }

  private Map<String, String> settings() throws IOException {
    Map<String, String> all = new TreeMap<>();
    for (String address :
        List.of(
            "yarn.resourcemanager.address",
            "yarn.resourcemanager.scheduler.address",
            "yarn.resourcemanager.resource-tracker.address",
            "yarn.resourcemanager.admin.address",
            "yarn.resourcemanager.webapp.address",
            "yarn.nodemanager.address",
            "yarn.nodemanager.localizer.address",
            "yarn.nodemanager.collector-service.address",
            "yarn.nodemanager.webapp.address",
            "mapreduce.jobhistory.address",
            "mapreduce.jobhistory.admin.address",
            "mapreduce.jobhistory.webapp.address")) {
      all.put(address, HOST + ":0");
    }
    all.put("yarn.minicluster.fixed.ports", "true");
    all.put("yarn.minicluster.yarn.nodemanager.resource.memory-mb", "" + plan.nodeMemoryMb());
    all.put("mapreduce.jobhistory.minicluster.fixed.ports", "true");
    all.put("mapreduce.shuffle.port", "0");
    all.put("hadoop.tmp.dir", temporary().toString());
    all.put("yarn.nodemanager.resource.cpu-vcores", "16");
    all.put("yarn.scheduler.minimum-allocation-mb", "64");
    // A process that starts while the resource manager stops must not wait long for it.
    all.put("yarn.resourcemanager.connect.max-wait.ms", "20000");
    all.put("yarn.resourcemanager.connect.retry-interval.ms", "1000");
    all.put("yarn.nodemanager.vmem-check-enabled", "false");
    all.put("yarn.nodemanager.pmem-check-enabled", "false");
    // Free space of this machine's disk must not matter.
    all.put("yarn.nodemanager.disk-health-checker.enable", "false");
    all.put("yarn.application.classpath", plan.home().commaSeparated());
    all.put("mapreduce.application.classpath", "");
    all.putAll(plan.settings());
    return all;
  }

  private static void writeLogging(Path directory) throws IOException {
    Files.writeString(
        directory.resolve("log4j.properties"), LOGGING.formatted("INFO"), StandardCharsets.UTF_8);
  }

  private void awaitReady(Path ready) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + START_TIMEOUT.toNanos();
    while (!Files.exists(ready)) {
      if (process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
        throw new IOException(
            "YARN exited with code " + process.exitValue() + " before it was ready" + last());
      }
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new IOException(
            "YARN was not ready within " + START_TIMEOUT.toSeconds() + " s" + last());
      }
    }
  }

  private String last() {
    return ": " + LogTail.of(logFile(), 1).strip() + " (log: " + logFile() + ")";
  }

  /**
   * Kills the process and every container. Idempotent.
   *
   * @throws IllegalStateException if one of these processes still runs after 20 seconds
   */
  @Override
  public void close() {
    if (process == null) {
      return;
    }
    List<ProcessHandle> left = kill();
    try {
      Runtime.getRuntime().removeShutdownHook(shutdownHook);
    } catch (IllegalStateException alreadyShuttingDown) {
      // The shutdown hook kills the processes.
    }
    if (!left.isEmpty()) {
      throw new IllegalStateException(
          "processes still run after " + STOP_TIMEOUT.toSeconds() + " s: " + left);
    }
  }

  /**
   * Kills the mini cluster first, because it would restart application masters that end, then its
   * containers. Repeats the search, because a container may start during it.
   *
   * @return processes that still run
   */
  private List<ProcessHandle> kill() {
    if (process == null) {
      return List.of();
    }
    List<ProcessHandle> all = new ArrayList<>(process.descendants().toList());
    process.destroyForcibly();
    long deadlineNanos = System.nanoTime() + STOP_TIMEOUT.toNanos();
    boolean interrupted = false;
    while (true) {
      all.addAll(YarnContainer.of(plan.directory()));
      all.forEach(ProcessHandle::destroyForcibly);
      all.removeIf(one -> !one.isAlive());
      boolean ended = all.isEmpty() && !process.isAlive();
      if (ended || System.nanoTime() - deadlineNanos > 0) {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return all;
      }
      try {
        TimeUnit.MILLISECONDS.sleep(POLL_MS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  /**
   * Settings with which the processes of a job start fast and stay small, for tests and small
   * machines.
   */
  public static Map<String, String> smallJobs() {
    Map<String, String> settings = new LinkedHashMap<>();
    String small = " -XX:+UseSerialGC -XX:TieredStopAtLevel=1";
    settings.put("yarn.app.mapreduce.am.resource.mb", "384");
    settings.put("yarn.app.mapreduce.am.command-opts", "-Xmx256m" + small);
    settings.put("mapreduce.map.memory.mb", "256");
    settings.put("mapreduce.map.java.opts", "-Xmx200m" + small);
    settings.put("mapreduce.reduce.memory.mb", "256");
    settings.put("mapreduce.reduce.java.opts", "-Xmx200m" + small);
    settings.put("mapreduce.task.io.sort.mb", "16");
    settings.put("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "100");
    settings.put("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "100");
    settings.put("mapreduce.client.progressmonitor.pollinterval", "100");
    settings.put("mapreduce.client.completion.pollinterval", "100");
    settings.put("yarn.app.mapreduce.client-am.ipc.max-retries", "1");
    settings.put("mapreduce.client.submit.file.replication", "1");
    settings.put("mapreduce.map.speculative", "false");
    settings.put("mapreduce.reduce.speculative", "false");
    return settings;
  }
}
