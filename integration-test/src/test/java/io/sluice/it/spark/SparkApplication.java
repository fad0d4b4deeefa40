package io.sluice.it.spark;

import io.sluice.it.cluster.ClassArchive;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Spark driver in a separate process that runs jobs and exits. With Sluice it has two executor
 * processes; with Spark's built-in shuffle the driver runs the tasks. On YARN, executors are
 * containers; in cluster mode the driver is a container too, and the process only submits it. Class
 * paths contain only the generated Spark home and jars of the build.
 */
public final class SparkApplication {
  private static final Duration LIMIT = Duration.ofMinutes(15);

  /**
   * Options of Spark's JVMs: without the C2 compiler, whose cost does not pay off in short runs.
   */
  public static final List<String> SHORT_LIVED =
      List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private static final String DRIVER = "io.sluice.it.spark.jobs.JobDriver";
  private static final String SUBMIT = "org.apache.spark.deploy.SparkSubmit";
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.lang.invoke",
          "java.lang.reflect",
          "java.io",
          "java.net",
          "java.nio",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "jdk.internal.ref",
          "sun.nio.ch",
          "sun.nio.cs",
          "sun.security.action",
          "sun.util.calendar");

  /** Log4j configuration with full logger names; Spark's default shortens them. */
  private static final String LOGGING =
      """
      appender.console.type = Console
      appender.console.name = console
      appender.console.target = SYSTEM_ERR
      appender.console.layout.type = PatternLayout
      appender.console.layout.pattern = %d{HH:mm:ss} %p %c: %m%n
      rootLogger.level = info
      rootLogger.appenderRef.console.ref = console
      """;

  private static final Pattern SLUICE_LINE =
      Pattern.compile(
          "^\\S+ (INFO|WARN|ERROR|FATAL) "
              + "(io\\.sluice\\.(?!it\\.)|org\\.apache\\.spark\\.shuffle\\.Rss).*");

  private final SparkVersion spark;
  private final Path directory;
  private final Map<String, String> settings = new HashMap<>();
  private final Map<String, Action> pauses = new HashMap<>();
  private final List<Path> moreJars = new ArrayList<>();
  private final List<String> submitOptions = new ArrayList<>();
  private Path clientJar;
  private EngineJava java = EngineJava.ofTests();
  private Duration limit = LIMIT;
  private String executorOptions = "";
  private boolean submitted;
  private Optional<Path> hadoopConfiguration = Optional.empty();
  private boolean demoDriver;
  private volatile Process driver;

  /** Action of a test while the driver pauses. */
  public interface Action {
    void run() throws IOException, InterruptedException;
  }

  /**
   * Result of a run.
   *
   * @param results per job: {@code name.rows}, {@code name.digest} and so on; per shuffle: {@code
   *     shuffle.0.refusal} and so on
   * @param log log of the driver
   */
  public record Outcome(int exitCode, Properties results, String log) {
    /** The digest of a job's rows; fails if the job has none, because it failed or did not run. */
    public String digest(String job) {
      String digest = results.getProperty(job + ".digest");
      if (digest == null) {
        throw new AssertionError("job " + job + " has no result: " + error(job) + "\n" + log);
      }
      return digest;
    }

    /** Why a job failed; empty if it did not. */
    public Optional<String> error(String job) {
      return Optional.ofNullable(results.getProperty(job + ".error"));
    }

    /** The final plan of a query, with all plans before it. */
    public String plan(String query) {
      return results.getProperty(query + ".plan");
    }

    public long number(String job, String what) {
      return Long.parseLong(results.getProperty(job + "." + what, "-1"));
    }

    /** Fallback reasons of shuffles that used the built-in shuffle, ordered by shuffle id. */
    public List<String> fallbacks() {
      return shuffles("refusal").filter(refusal -> !refusal.isEmpty()).toList();
    }

    /** Number of shuffles that used Sluice. */
    public long shufflesOnSluice() {
      return shuffles("refusal").filter(String::isEmpty).count();
    }

    /**
     * A value of a {@code faults/} job's shuffle: {@code generation}, the number of changes of its
     * assignment, {@code servers}, or a counter such as {@code writes.localBytes}.
     */
    public long shuffle(String job, String what) {
      return number("shuffle." + number(job, "plan"), what);
    }

    /** Whether the assignment of any shuffle changed, because a server failed or was full. */
    public boolean anyReassigned() {
      return shuffles("generation").anyMatch(generation -> !generation.equals("0"));
    }

    /** Sum of a counter over all shuffles, such as {@code writes.localBytes}. */
    public long ofAllShuffles(String counter) {
      return shuffles(counter).mapToLong(Long::parseLong).sum();
    }

    /** The hosts where tasks of a job prefer to run. */
    public List<String> preferredHosts(String job) {
      String hosts = results.getProperty(job + ".preferredHosts", "");
      return hosts.isEmpty() ? List.of() : List.of(hosts.split(",", -1));
    }

    private Stream<String> shuffles(String what) {
      return results.stringPropertyNames().stream()
          .filter(name -> name.startsWith("shuffle.") && name.endsWith("." + what))
          .sorted(Comparator.comparingInt(Outcome::shuffleId))
          .map(results::getProperty);
    }

    /** Sums of a job's task metrics and SQL metrics. */
    public Map<String, Metric> metrics(String job) {
      Map<String, Metric> metrics = new TreeMap<>();
      for (String kind : List.of("metric", "sql")) {
        String prefix = job + "." + kind + ".";
        for (String name : results.stringPropertyNames()) {
          if (name.startsWith(prefix)) {
            metrics.put(name.substring(prefix.length()), Metric.parse(results.getProperty(name)));
          }
        }
      }
      return metrics;
    }

    private static int shuffleId(String name) {
      return Integer.parseInt(name.split("\\.", -1)[1]);
    }

    /** A setting of the driver; null if it is not set. */
    public String setting(String key) {
      return results.getProperty("conf." + key);
    }

    /** Number of lines of the driver's log with a text; only for tests of messages for users. */
    public long linesWith(String text) {
      return log.lines().filter(line -> line.contains(text)).count();
    }
  }

  /**
   * A metric of Spark.
   *
   * @param type type of a SQL metric, such as {@code timing}; empty for a task metric
   */
  public record Metric(long value, String type) {
    static Metric parse(String text) {
      String[] parts = text.split(" ", 2);
      return new Metric(Long.parseLong(parts[0]), parts.length < 2 ? "" : parts[1]);
    }
  }

  /**
   * An application with Spark's built-in shuffle, on the current Spark version of the suites.
   *
   * @param directory directory for all files of the run; created here
   */
  public SparkApplication(Path directory) {
    this(SparkVersion.current(), directory);
  }

  /** An application with Spark's built-in shuffle, on the given Spark version. */
  public SparkApplication(SparkVersion spark, Path directory) {
    this.spark = spark;
    this.clientJar = spark.clientJar();
    this.directory = directory;
    settings.put("spark.master", "local[2]");
    settings.put("spark.app.name", directory.getFileName().toString());
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.driver.host", "127.0.0.1");
    settings.put("spark.driver.bindAddress", "127.0.0.1");
    settings.put("spark.local.dir", directory.resolve("local").toString());
    settings.put("spark.sql.warehouse.dir", directory.resolve("warehouse").toString());
    settings.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    settings.put("spark.sql.shuffle.partitions", "13");
  }

  /** An application with Sluice, on the current Spark version of the suites. */
  public static SparkApplication onSluice(Path directory, String quorum) {
    return onSluice(SparkVersion.current(), directory, quorum);
  }

  /** An application with Sluice, on the given Spark version. */
  public static SparkApplication onSluice(SparkVersion spark, Path directory, String quorum) {
    return new SparkApplication(spark, directory)
        .set("spark.master", "local-cluster[2,1,1024]")
        .set("spark.shuffle.manager", "org.apache.spark.shuffle.RssShuffleManager")
        .set("spark.rss.coordinator.quorum", quorum)
        // The start of an application waits for a fifth of it: enough on an overloaded machine.
        .set("spark.rss.access.timeout.ms", "60s");
  }

  /**
   * An application with Sluice, submitted with {@code spark-submit}, with the plugin's jar only in
   * {@code --jars} and on no class path.
   */
  public static SparkApplication submittedWithJars(
      SparkVersion spark, Path directory, String quorum) {
    SparkApplication application = onSluice(spark, directory, quorum);
    application.settings.put("spark.jars", spark.clientJar().toString());
    application.submitted = true;
    return application;
  }

  /**
   * An application with Sluice on YARN, submitted with {@code spark-submit}, with two small
   * executors and the plugin's jar only in {@code --jars}. Spark itself is installed on every node.
   *
   * @param configuration directory of YARN's client configuration
   * @param deployMode {@code client} or {@code cluster}
   */
  public static SparkApplication onYarn(
      SparkVersion spark, Path directory, String quorum, Path configuration, String deployMode)
      throws IOException {
    SparkApplication application =
        submittedWithJars(spark, directory, quorum)
            .set("spark.master", "yarn")
            .set("spark.submit.deployMode", deployMode)
            .set("spark.yarn.jars", "local:" + spark.jars() + "/*")
            .set("spark.yarn.stagingDir", directory.resolve("staging").toUri().toString())
            .set("spark.executor.instances", "2")
            .set("spark.executor.memory", "512m")
            .set("spark.executor.memoryOverhead", "128m")
            .set("spark.driver.memory", "512m")
            .set("spark.driver.memoryOverhead", "128m")
            .set("spark.driver.extraJavaOptions", String.join(" ", SHORT_LIVED))
            .set("spark.yarn.am.memory", "192m")
            .set("spark.yarn.am.memoryOverhead", "64m")
            .set("spark.yarn.am.extraJavaOptions", String.join(" ", SHORT_LIVED));
    for (String variable : List.of("SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME")) {
      application
          .set("spark.yarn.appMasterEnv." + variable, "127.0.0.1")
          .set("spark.executorEnv." + variable, "127.0.0.1");
    }
    application.hadoopConfiguration = Optional.of(configuration);
    return application;
  }

  /** Runs driver and executors in another Java runtime. */
  SparkApplication onJava(EngineJava other) {
    java = other;
    return this;
  }

  /** Uses another jar of the plugin than that of this build. */
  SparkApplication withClientJar(Path other) {
    clientJar = other;
    if (submitted) {
      settings.put("spark.jars", other.toString());
    }
    return this;
  }

  public SparkApplication set(String key, String value) {
    settings.put(key, value);
    return this;
  }

  /** Uses one executor with two cores instead of two with one core, which saves a JVM. */
  public SparkApplication withOneExecutor() {
    return set("spark.master", "local-cluster[1,2,1024]");
  }

  /** Additional options of {@code spark-submit}. */
  SparkApplication submitOptions(String... options) {
    submitOptions.addAll(List.of(options));
    return this;
  }

  /** Additional options of the executors' JVMs. */
  public SparkApplication executorOptions(String options) {
    executorOptions = options;
    return this;
  }

  /** Logs full logger names, so that {@link #sluiceLinesOfDriver} finds the lines of Sluice. */
  SparkApplication withLoggerNames() throws IOException {
    Path configuration = Files.createDirectories(directory).resolve("log4j2.properties");
    Files.writeString(configuration, LOGGING);
    executorOptions += " -Dlog4j2.configurationFile=" + configuration;
    return set("log4j2.configurationFile", configuration.toString());
  }

  /** Lines that Sluice logged in the driver at INFO or above; see {@link #withLoggerNames}. */
  List<String> sluiceLinesOfDriver() throws IOException {
    return sluiceLines(directory.resolve("driver.log"));
  }

  /** Lines that Sluice logged in executors at INFO or above; see {@link #withLoggerNames}. */
  List<String> sluiceLinesOfExecutors() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path log : executorLogs()) {
      lines.addAll(sluiceLines(log));
    }
    return lines;
  }

  /** Logs of the executors of a {@code local-cluster} master. */
  List<Path> executorLogs() throws IOException {
    try (Stream<Path> files = Files.walk(home().resolve("work"))) {
      return files.filter(file -> file.endsWith("stderr")).sorted().toList();
    }
  }

  private static List<String> sluiceLines(Path log) throws IOException {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> SLUICE_LINE.matcher(line).matches()).toList();
    }
  }

  /** Adds tables and queries of TPC-H and TPC-DS to the driver. */
  public SparkApplication withDemoDriver() {
    demoDriver = true;
    return this;
  }

  /** Adds a jar to the class path of driver and executors. */
  SparkApplication withJar(Path jar) {
    moreJars.add(jar);
    return this;
  }

  /** Time limit after which the driver is killed; 15 minutes by default. */
  public SparkApplication endAfter(Duration time) {
    limit = time;
    return this;
  }

  /** Action to run when the driver reaches a pause. */
  public SparkApplication at(String pause, Action action) {
    pauses.put("pause:" + pause, action);
    return this;
  }

  /** The plugin's jar for the current Spark version of the suites. */
  static Path clientJar() {
    return SparkVersion.current().clientJar();
  }

  /**
   * Starts Spark's history server with the plugin's jar.
   *
   * @param directory directory for its files; created here
   * @param log directory of the event logs
   */
  static Process historyServer(Path directory, Path log, int port) throws IOException {
    SparkVersion spark = SparkVersion.current();
    Path home = directory.resolve("home");
    spark.install(home);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(SHORT_LIVED);
    command.addAll(List.of("-Xmx512m", "-Djava.io.tmpdir=" + directory));
    OPENED.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    command.add("-Dspark.history.fs.logDirectory=" + log.toUri());
    command.add("-Dspark.history.fs.update.interval=1s");
    command.add("-Dspark.history.ui.port=" + port);
    command.addAll(List.of("-cp", home.resolve("jars") + "/*:" + spark.clientJar()));
    command.add("org.apache.spark.deploy.history.HistoryServer");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("SPARK_HOME", home.toString());
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    builder.environment().put("SPARK_PUBLIC_DNS", "127.0.0.1");
    return builder
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("history.log").toFile())
        .start();
  }

  /** Directory for all files of the run. */
  public Path directory() {
    return directory;
  }

  private Path home() {
    return directory.resolve("home");
  }

  /** Kills the driver and all executors while {@link #run} is at a pause. */
  public void kill() {
    end(driver);
  }

  /** Runs jobs of the test jobs' jar by their names. */
  public Outcome run(List<String> jobs) throws IOException, InterruptedException {
    List<String> program = new ArrayList<>();
    if (submitted) {
      program.addAll(List.of(SUBMIT, "--properties-file", configuration().toString()));
      program.addAll(submitOptions);
      program.addAll(List.of("--class", DRIVER, SparkVersion.jobsJar().toString()));
    } else {
      program.add(DRIVER);
    }
    program.add(results().toString());
    program.addAll(jobs);
    return run(program, Map.of());
  }

  /**
   * Runs a Python program, which writes its results to the file given as its argument.
   *
   * @param libraries value of {@code PYTHONPATH}
   */
  Outcome runPython(Path script, String libraries) throws IOException, InterruptedException {
    return run(
        List.of(
            SUBMIT,
            "--properties-file",
            configuration().toString(),
            script.toString(),
            results().toString()),
        Map.of("PYTHONPATH", libraries, "PYSPARK_PYTHON", "python3"));
  }

  private Path results() {
    return directory.resolve("results.properties");
  }

  private Path configuration() {
    return directory.resolve("spark.properties");
  }

  private Outcome run(List<String> program, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path home = home();
    spark.install(home);
    ClassArchive archive = spark.classArchive();
    List<String> jvmOptions = new ArrayList<>(SHORT_LIVED);
    // For the few applications on other versions an archive costs more than it saves.
    boolean archived =
        !submitted
            && !demoDriver
            && spark == SparkVersion.current()
            && java.equals(EngineJava.ofTests());
    if (archived) {
      jvmOptions.addAll(archive.jvmOptions());
    }
    if (!submitted) {
      settings.put("spark.executor.extraClassPath", classPath());
    }
    settings.put(
        "spark.executor.extraJavaOptions", String.join(" ", jvmOptions) + " " + executorOptions);
    Path errors = directory.resolve("driver.log");
    List<String> command = new ArrayList<>();
    command.add(java.command());
    command.addAll(jvmOptions);
    // The generator of TPC-H needs 300 MB of memory for text.
    command.addAll(List.of(demoDriver ? "-Xmx1500m" : "-Xmx768m", "-Djava.io.tmpdir=" + directory));
    if (java.hasModules()) {
      OPENED.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    }
    if (program.get(0).equals(SUBMIT)) {
      try (Writer writer = Files.newBufferedWriter(configuration())) {
        Properties properties = new Properties();
        properties.putAll(settings);
        properties.store(writer, null);
      }
    } else {
      settings.forEach((key, value) -> command.add("-D" + key + "=" + value));
    }
    command.addAll(List.of("-cp", driverClassPath()));
    command.addAll(program);
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().putAll(environment);
    builder.environment().put("JAVA_HOME", java.home().toString());
    builder.environment().put("SPARK_HOME", home.toString());
    builder.environment().put("SPARK_SCALA_VERSION", spark.scala());
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    builder.environment().put("SPARK_LOCAL_HOSTNAME", "127.0.0.1");
    hadoopConfiguration.ifPresent(
        path -> builder.environment().put("HADOOP_CONF_DIR", path.toString()));
    builder.redirectError(errors.toFile());
    driver = builder.start();
    Process started = driver;
    Thread killer = new Thread(() -> killAtLimit(started, limit), "spark-driver-limit");
    killer.setDaemon(true);
    killer.start();
    try {
      followOutput(driver);
      int exitCode = driver.waitFor();
      if (archived) {
        archive.makeOfLists();
      }
      Properties found = new Properties();
      if (Files.exists(results())) {
        try (Reader reader = Files.newBufferedReader(results())) {
          found.load(reader);
        }
      }
      return new Outcome(exitCode, found, Files.readString(errors));
    } catch (IOException | RuntimeException | AssertionError e) {
      e.addSuppressed(new IOException("log of the driver:\n" + Files.readString(errors)));
      throw e;
    } finally {
      end(driver);
      killer.interrupt();
    }
  }

  private String driverClassPath() throws IOException {
    if (submitted) {
      return hadoopConfiguration.map(path -> path + ":").orElse("") + spark.jars() + "/*";
    }
    // The generator of TPC-H needs a newer Guava than Spark's.
    return (demoDriver ? SparkVersion.demoDriverJars() + "/*:" : "") + classPath();
  }

  private String classPath() throws IOException {
    StringBuilder classPath = new StringBuilder(spark.classPath(clientJar));
    moreJars.forEach(jar -> classPath.append(':').append(jar));
    return classPath.toString();
  }

  private void followOutput(Process driver) throws IOException, InterruptedException {
    BufferedReader output =
        new BufferedReader(new InputStreamReader(driver.getInputStream(), StandardCharsets.UTF_8));
    OutputStream input = driver.getOutputStream();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      System.out.println(directory.getFileName() + ": " + line);
      if (line.startsWith("pause:")) {
        Action action = pauses.get(line);
        if (action != null) {
          action.run();
        }
        input.write("go\n".getBytes(StandardCharsets.UTF_8));
        input.flush();
      }
    }
  }

  private static void killAtLimit(Process driver, Duration limit) {
    try {
      if (!driver.waitFor(limit.toSeconds(), TimeUnit.SECONDS)) {
        end(driver);
      }
    } catch (InterruptedException e) {
      // The run is over.
      Thread.currentThread().interrupt();
    }
  }

  /** Executors are children of the driver in local-cluster mode. */
  private static void end(Process driver) {
    List<ProcessHandle> all = new ArrayList<>(driver.descendants().toList());
    all.add(driver.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
  }
}
