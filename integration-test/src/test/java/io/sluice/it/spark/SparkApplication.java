package io.sluice.it.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A Spark driver in a process of its own, with two executors in processes of theirs, that runs jobs
 * and ends. Only the made Spark home and jars that the build made are on their class paths.
 */
public final class SparkApplication {
  private static final long LIMIT_SECONDS = 900;
  private static final Path ROOT =
      Path.of(System.getProperty("user.dir")).resolve("..").normalize();
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

  private final Path directory;
  private final Map<String, String> settings = new HashMap<>();
  private final Map<String, Action> pauses = new HashMap<>();
  private volatile Process driver;

  /** Something that a test does while the driver waits. */
  public interface Action {
    void run() throws IOException, InterruptedException;
  }

  /**
   * What came out.
   *
   * @param results per job: {@code name.rows}, {@code name.digest} and so on
   * @param log of the driver
   */
  public record Outcome(int exitCode, Properties results, String log) {
    public String digest(String job) {
      String error = results.getProperty(job + ".error");
      return error == null ? results.getProperty(job + ".digest") : "error: " + error;
    }

    public long number(String job, String what) {
      return Long.parseLong(results.getProperty(job + "." + what, "-1"));
    }

    public long linesWith(String text) {
      return log.lines().filter(line -> line.contains(text)).count();
    }
  }

  /**
   * @param directory for everything that the run writes; made here
   */
  public SparkApplication(Path directory) {
    this.directory = directory;
    settings.put("spark.master", "local-cluster[2,1,1024]");
    settings.put("spark.app.name", directory.getFileName().toString());
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.driver.host", "127.0.0.1");
    settings.put("spark.driver.bindAddress", "127.0.0.1");
    settings.put("spark.local.dir", directory.resolve("local").toString());
    settings.put("spark.sql.warehouse.dir", directory.resolve("warehouse").toString());
    settings.put("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
    settings.put("spark.sql.shuffle.partitions", "13");
    settings.put("spark.executor.extraJavaOptions", "-XX:+UseSerialGC");
    settings.put("spark.executor.extraClassPath", jobsJar().toString());
  }

  /** Through Sluice. */
  public static SparkApplication onSluice(Path directory, String quorum) {
    return new SparkApplication(directory)
        .set("spark.shuffle.manager", "org.apache.spark.shuffle.RssShuffleManager")
        .set("spark.rss.coordinator.quorum", quorum)
        .set("spark.executor.extraClassPath", jobsJar() + ":" + clientJar());
  }

  public SparkApplication set(String key, String value) {
    settings.put(key, value);
    return this;
  }

  /** What to do when the driver comes to a pause. */
  public SparkApplication at(String pause, Action action) {
    pauses.put("pause:" + pause, action);
    return this;
  }

  static Path clientJar() {
    return onlyJar(ROOT.resolve("client-spark/spark-3.5_2.12/target"), "sluice-client-spark-3.5");
  }

  private static Path jobsJar() {
    return onlyJar(ROOT.resolve("client-spark/test-jobs/target"), "sluice-spark-test-jobs");
  }

  private static Path onlyJar(Path target, String prefix) {
    try (Stream<Path> files = Files.list(target)) {
      return files
          .filter(file -> file.getFileName().toString().matches(prefix + "[^/]*\\.jar"))
          .findFirst()
          .orElseThrow();
    } catch (IOException | RuntimeException e) {
      throw new IllegalStateException(
          "no "
              + prefix
              + "*.jar in "
              + target
              + ": build with mvn -pl integration-test -am verify",
          e);
    }
  }

  /** Where everything lies that the run writes. */
  public Path directory() {
    return directory;
  }

  /** What executors have logged so far, all of them one after the other. */
  public String executorLogs() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files =
        Files.find(home().resolve("work"), 3, (file, unused) -> isLog(file))) {
      for (Path file : files.toList()) {
        all.append(Files.readString(file));
      }
    }
    return all.toString();
  }

  private static boolean isLog(Path file) {
    return file.getFileName().toString().equals("stderr");
  }

  private Path home() {
    return directory.resolve("home");
  }

  /** Ends the driver and all executors at once, while {@link #run} is at a pause. */
  public void kill() {
    end(driver);
  }

  public Outcome run(List<String> jobs) throws IOException, InterruptedException {
    Path home = home();
    Files.createDirectories(home);
    Path sparkJars = ROOT.resolve("demo/target/spark-home/jars");
    Files.createSymbolicLink(home.resolve("jars"), sparkJars);
    Files.writeString(home.resolve("RELEASE"), "Spark for " + directory.getFileName() + "\n");
    Path configuration = directory.resolve("spark.properties");
    try (Writer writer = Files.newBufferedWriter(configuration)) {
      Properties properties = new Properties();
      properties.putAll(settings);
      properties.store(writer, null);
    }
    Path results = directory.resolve("results.properties");
    Path errors = directory.resolve("driver.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx768m", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + directory));
    OPENED.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    String classPath = sparkJars + "/*:" + settings.get("spark.executor.extraClassPath");
    command.addAll(List.of("-cp", classPath, "io.sluice.it.spark.jobs.JobDriver"));
    command.addAll(List.of(results.toString(), configuration.toString()));
    command.addAll(jobs);
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("SPARK_HOME", home.toString());
    builder.environment().put("SPARK_SCALA_VERSION", "2.12");
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    builder.environment().put("SPARK_LOCAL_HOSTNAME", "127.0.0.1");
    builder.redirectError(errors.toFile());
    driver = builder.start();
    Process started = driver;
    Thread killer = new Thread(() -> killAtLimit(started), "spark-driver-limit");
    killer.setDaemon(true);
    killer.start();
    try {
      followOutput(driver);
      int exitCode = driver.waitFor();
      Properties found = new Properties();
      if (Files.exists(results)) {
        try (Reader reader = Files.newBufferedReader(results)) {
          found.load(reader);
        }
      }
      return new Outcome(exitCode, found, Files.readString(errors));
    } finally {
      end(driver);
      killer.interrupt();
    }
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

  private static void killAtLimit(Process driver) {
    try {
      if (!driver.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
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
