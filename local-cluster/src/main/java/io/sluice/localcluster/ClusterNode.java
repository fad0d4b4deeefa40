package io.sluice.localcluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/**
 * One node of a {@link LocalCluster}. Its process can be stopped, killed and started again;
 * directory, ports and configuration are kept over restarts. Thread-safe by its own lock, because a
 * shutdown hook may stop it.
 */
public final class ClusterNode {

  /**
   * Kind of a node, with the command and the JVM options that the launcher script uses for it. Both
   * also get the same environment.
   */
  public enum Role {
    COORDINATOR("coordinator"),
    SERVER("server");

    private final String command;

    Role(String command) {
      this.command = command;
    }

    private List<String> launcherOptions() {
      return switch (this) {
        case COORDINATOR -> List.of("-XX:+ExitOnOutOfMemoryError");
        // A server bounds its memory for data itself; the JVM's own bound, the size of the heap,
        // would be far too small.
        case SERVER -> List.of("-XX:+ExitOnOutOfMemoryError", "-XX:MaxDirectMemorySize=1024g");
      };
    }
  }

  /** The host that processes of a local cluster bind and announce by default. */
  public static final String HOST = "127.0.0.1";

  private static final long POLL_MS = 20;

  /** Packages that the launcher script opens, too. */
  private static final List<String> OPENED_PACKAGES = List.of("java.nio", "sun.nio.ch", "java.io");

  private final String name;
  private final Role role;
  private final Path directory;
  private final LocalCluster.Launch launch;
  private final FreePorts ports;
  private final Map<String, String> configuration = new LinkedHashMap<>();
  private final List<String> jvmOptions = new ArrayList<>();
  private Process process;
  private int rpcPort;
  private int nettyPort;
  private int httpPort;

  ClusterNode(
      String name,
      Role role,
      Path directory,
      LocalCluster.Launch launch,
      FreePorts ports,
      Map<String, String> configuration,
      List<String> jvmOptions) {
    this.name = name;
    this.role = role;
    this.directory = directory;
    this.launch = launch;
    this.ports = ports;
    this.configuration.putAll(configuration);
    this.jvmOptions.addAll(jvmOptions);
  }

  public String name() {
    return name;
  }

  public Role role() {
    return role;
  }

  /** The node's own directory: configuration, log, and what the process itself keeps. */
  public Path directory() {
    return directory;
  }

  /** Output of the process; restarts append to it. */
  public Path logFile() {
    return directory.resolve(name + ".log");
  }

  /** Sets a configuration key; takes effect at the next start. */
  public synchronized void configure(String key, String value) {
    configuration.put(key, value);
  }

  /** Replaces the JVM options; takes effect at the next start. */
  public synchronized void jvmOptions(List<String> options) {
    jvmOptions.clear();
    jvmOptions.addAll(options);
  }

  /**
   * Port of gRPC calls; the first start of the cluster chooses it and later ones keep it. 0 before
   * the first start.
   */
  public synchronized int rpcPort() {
    return rpcPort;
  }

  /** Port of the framed data transport; 0 if the node does not run it. */
  public synchronized int nettyPort() {
    return nettyPort;
  }

  public synchronized int httpPort() {
    return httpPort;
  }

  /** Host that the process binds and announces; an IPv6 address without brackets. */
  public String host() {
    return launch.host();
  }

  /** {@code http://host:port}. */
  public synchronized String httpAddress() {
    return "http://" + authority(httpPort);
  }

  private String authority(int port) {
    return (host().contains(":") ? "[" + host() + "]" : host()) + ":" + port;
  }

  /** {@code host:rpc_port}, which is also a server's name at the coordinator. */
  public synchronized String address() {
    return authority(rpcPort);
  }

  public synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** Process id of the running process, or of the last one. */
  public synchronized long pid() {
    if (process == null) {
      throw new IllegalStateException(name + " was never started");
    }
    return process.pid();
  }

  /**
   * Starts the process and waits for its ready file, which it writes once it accepts connections.
   *
   * @throws ClusterStartException if the process ends, or writes no ready file within the start
   *     timeout
   */
  public synchronized void start() throws IOException, InterruptedException {
    if (isAlive()) {
      throw new IllegalStateException(name + " already runs: pid=" + process.pid());
    }
    Files.createDirectories(directory);
    reservePorts();
    Path readyFile = directory.resolve(name + ".ready");
    Files.deleteIfExists(readyFile);
    Path configurationFile = directory.resolve(name + ".conf");
    Files.writeString(configurationFile, configurationText(), StandardCharsets.UTF_8);

    List<String> command = new ArrayList<>();
    command.add(launch.java().toString());
    for (String opened : OPENED_PACKAGES) {
      command.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
    }
    command.addAll(role.launcherOptions());
    command.addAll(launch.jvmOptions());
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", launch.classPath(), launch.mainClass(), role.command));
    command.addAll(List.of("--conf", configurationFile.toString()));
    command.addAll(List.of("--ready-file", readyFile.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
    builder.environment().putIfAbsent("MALLOC_ARENA_MAX", "2");
    process = builder.start();
    process.getOutputStream().close();
    try {
      readPorts(awaitReady(readyFile));
    } catch (IOException | InterruptedException | RuntimeException e) {
      killAndWait();
      throw e;
    }
  }

  /**
   * Asks the process to stop (SIGTERM) and kills it if it still runs after the cluster's stop
   * timeout. Idempotent.
   */
  public synchronized void stop() {
    if (!isAlive()) {
      return;
    }
    process.destroy();
    if (!awaitEnd(launch.stopTimeout())) {
      killAndWait();
    }
  }

  /** Kills the process (SIGKILL), so that it cannot clean up, and waits for its end. Idempotent. */
  public synchronized void kill() {
    killAndWait();
  }

  /** Waits for the process to end by itself and returns its exit code; empty after the timeout. */
  public OptionalInt awaitExit(Duration timeout) throws InterruptedException {
    Process last;
    synchronized (this) {
      last = process;
    }
    return last != null && last.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)
        ? OptionalInt.of(last.exitValue())
        : OptionalInt.empty();
  }

  /** Stops the process if it runs, and starts it again on the same ports. */
  public synchronized void restart() throws IOException, InterruptedException {
    stop();
    start();
  }

  /** The last lines that the process printed, for a message; empty if it printed nothing. */
  public String logTail(int lineCount) {
    return LogTail.of(logFile(), lineCount);
  }

  /** Chooses the ports, if no start has chosen them. */
  synchronized void reservePorts() throws IOException {
    if (rpcPort != 0) {
      return;
    }
    rpcPort = ports.next();
    httpPort = ports.next();
    if (role == Role.SERVER) {
      nettyPort = ports.next();
    }
  }

  private String configurationText() {
    StringBuilder text = new StringBuilder();
    Map<String, String> all = new LinkedHashMap<>(configuration);
    all.put("rss.rpc.server.port", Integer.toString(rpcPort));
    all.put("rss.jetty.http.port", Integer.toString(httpPort));
    // A test may have set another name of the interface, or all interfaces.
    switch (role) {
      case COORDINATOR -> all.putIfAbsent("rss.coordinator.host", host());
      case SERVER -> {
        all.putIfAbsent("rss.server.host", host());
        all.put("rss.server.netty.port", Integer.toString(nettyPort));
      }
    }
    all.forEach((key, value) -> text.append(key).append(' ').append(value).append('\n'));
    return text.toString();
  }

  private Properties awaitReady(Path readyFile) throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + launch.startTimeout().toNanos();
    while (!Files.exists(readyFile)) {
      if (process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
        throw new ClusterStartException(
            name
                + " exited with code "
                + process.exitValue()
                + " before it was ready: "
                + reason());
      }
      if (System.nanoTime() - deadlineNanos > 0) {
        throw new ClusterStartException(
            name
                + " was not ready within "
                + launch.startTimeout().toSeconds()
                + " s: "
                + reason());
      }
    }
    Properties ready = new Properties();
    try (InputStream in = Files.newInputStream(readyFile)) {
      ready.load(in);
    }
    return ready;
  }

  private String reason() {
    String last = logTail(1);
    return (last.isEmpty() ? "it printed nothing" : last.strip()) + " (log: " + logFile() + ")";
  }

  private void readPorts(Properties ready) throws ClusterStartException {
    rpcPort = port(ready, "rpc.port");
    httpPort = port(ready, "http.port");
    nettyPort = ready.containsKey("netty.port") ? port(ready, "netty.port") : 0;
  }

  private int port(Properties ready, String key) throws ClusterStartException {
    String value = ready.getProperty(key);
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new ClusterStartException(
          name + " wrote a ready file without a valid port: " + key + "=" + value, e);
    }
  }

  private void killAndWait() {
    if (process != null && process.isAlive()) {
      process.destroyForcibly();
      awaitEnd(launch.stopTimeout());
    }
  }

  /** Waits even if interrupted: a child process must not outlive this one. */
  private boolean awaitEnd(Duration timeout) {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
