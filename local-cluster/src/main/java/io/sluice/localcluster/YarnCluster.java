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
 * Hadoop's mini cluster in a process of its own: resource manager, node managers with their shuffle
 * handlers, history server. Every container is a process of its own, a descendant of that one. The
 * file system is this machine's.
 *
 * <p>Used from one thread; {@link #close} may also be called from a shutdown hook.
 */
public final class YarnCluster implements AutoCloseable {
  private static final String MAIN_CLASS = "io.sluice.demo.mapreduce.YarnHost";
  private static final String HOST = "127.0.0.1";
  private static final Duration START_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);
  private static final long POLL_MS = 50;

  /** Hadoop's servers on Java 17; tasks get what they need from Hadoop itself. */
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

  /** One queue, and application masters may fill it. */
  private static final Map<String, String> SCHEDULER =
      Map.of(
          "yarn.scheduler.capacity.root.queues", "default",
          "yarn.scheduler.capacity.root.default.capacity", "100",
          "yarn.scheduler.capacity.maximum-am-resource-percent", "1.0",
          "yarn.scheduler.capacity.node-locality-delay", "-1");

  /**
   * What a cluster is.
   *
   * @param directory for everything that it writes; made by the start
   * @param home what all of it runs on
   * @param hostJar the jar, or directory, with the main class of the process
   * @param nodes how many node managers
   * @param nodeMemoryMb what each of them has for containers
   * @param jvmOptions of the process, its heap above all
   * @param settings Hadoop's, for servers, application masters and tasks; they win
   * @param limit how long it may live at most
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
   * Starts the process and waits until the cluster takes jobs.
   *
   * @throws IOException if it ends or stays silent instead
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
    // What containers start with.
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
   * Takes a node manager away for good, as if its machine were switched off. Returns before it has
   * happened.
   *
   * @param node its number, from 0, as {@link YarnContainer#node} has it
   */
  public void loseNode(int node) throws IOException {
    OutputStream commands = process.getOutputStream();
    commands.write(("lose " + node + "\n").getBytes(StandardCharsets.US_ASCII));
    commands.flush();
  }

  /** Directory with the configuration that programs have on their class path. */
  public Path configuration() {
    return plan.directory().resolve("conf");
  }

  public HadoopHome home() {
    return plan.home();
  }

  public Path directory() {
    return plan.directory();
  }

  /** What the process printed. */
  public Path logFile() {
    return plan.directory().resolve("yarn.log");
  }

  /** The processes of containers that run now, shells around them left out. */
  public List<YarnContainer> containers() {
    return YarnContainer.among(process.toHandle().descendants());
  }

  /** What it has cost so far. */
  public YarnCpu cpu() throws IOException {
    return YarnCpu.of(process.pid());
  }

  /**
   * Waits until no container is left: an application master stays for some seconds after its job.
   *
   * @throws IOException if there is one after {@code timeout}
   */
  public void awaitIdle(Duration timeout) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    while (process.descendants().findAny().isPresent()) {
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new IOException(
            "containers have not ended after " + timeout.toSeconds() + " s: " + containers());
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MS);
    }
  }

  /**
   * What the containers of an application have logged so far.
   *
   * @param application such as {@code application_1700000000000_0001}
   */
  public String containerLogs(String application) throws IOException {
    StringBuilder all = new StringBuilder();
    // Other directories of the mini cluster come and go while they are listed.
    for (Path node : matching(plan.directory().resolve("target/test/data/yarn"), "yarn-*")) {
      for (Path logs : matching(node, "yarn-logDir-*")) {
        for (Path container : matching(logs.resolve(application), "container_*")) {
          Path mapReduce = container.resolve("syslog");
          Path log = Files.exists(mapReduce) ? mapReduce : container.resolve("stderr");
          if (Files.exists(log)) {
            all.append("== ").append(container.getFileName()).append('\n');
            all.append(Files.readString(log));
          }
        }
      }
    }
    return all.toString();
  }

  /**
   * What application masters have written of a job that has not ended yet, as text if the job's
   * {@code mapreduce.jobhistory.jhist.format} is {@code json}.
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

  /** Where nodes and programs keep what is not a log or a setting. */
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
    // What comes up while the resource manager goes away does not wait for it for long.
    all.put("yarn.resourcemanager.connect.max-wait.ms", "20000");
    all.put("yarn.resourcemanager.connect.retry-interval.ms", "1000");
    all.put("yarn.nodemanager.vmem-check-enabled", "false");
    all.put("yarn.nodemanager.pmem-check-enabled", "false");
    // How full the machine's own disk is must not decide.
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
            "YARN ended with exit code " + process.exitValue() + " instead of starting" + last());
      }
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new IOException(
            "YARN did not start within " + START_TIMEOUT.toSeconds() + " s" + last());
      }
    }
  }

  private String last() {
    return ": " + LogTail.of(logFile(), 1).strip() + " (log: " + logFile() + ")";
  }

  /**
   * Ends the process and every container, by force. Idempotent.
   *
   * @throws IllegalStateException if one of them is still there after a bound
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
      // The hook runs or has run: it does the same.
    }
    if (!left.isEmpty()) {
      throw new IllegalStateException("processes that do not end: " + left);
    }
  }

  /**
   * The process goes first: it would start another application master for one that ends. What one
   * look misses, because it was about to start, the next one finds.
   *
   * @return what is still there
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

  /** Settings of a job's processes that start soon and stay small: for tests and small machines. */
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
