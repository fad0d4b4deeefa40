package io.sluice.demo.staging;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.localcluster.LogTail;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A Spark driver in a separate process. One thread sends commands and receives messages. Another
 * thread may call {@link #close} at any time, which makes a waiting {@link #await} fail.
 */
public final class DriverProcess implements AutoCloseable {

  /** Parameters of starting a driver. */
  record Launch(
      String name,
      String mainClass,
      String classPath,
      List<String> javaOptions,
      Map<String, String> environment,
      DriverSettings settings,
      Path directory) {}

  /** Marks the end of the driver's output. */
  private static final Optional<DriverMessage> END = Optional.empty();

  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

  private final String name;
  private final Path logFile;
  private final Process process;
  private final BlockingQueue<Optional<DriverMessage>> messages = new LinkedBlockingQueue<>();

  private DriverProcess(String name, Path logFile, Process process) {
    this.name = name;
    this.logFile = logFile;
    this.process = process;
  }

  static DriverProcess start(Launch launch) throws IOException {
    Path settingsFile = launch.directory().resolve("driver-" + launch.name() + ".properties");
    launch.settings().write(settingsFile);
    Path logFile = launch.directory().resolve("driver-" + launch.name() + ".log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(launch.javaOptions());
    command.addAll(SparkHome.javaOptions());
    command.addAll(List.of("-cp", launch.classPath(), launch.mainClass(), settingsFile.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(launch.directory().toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(logFile.toFile()));
    // The user's Spark settings must not affect the comparison.
    builder
        .environment()
        .keySet()
        .removeIf(key -> key.startsWith("SPARK_") || key.equals("HADOOP_CONF_DIR"));
    builder.environment().putAll(launch.environment());
    DriverProcess driver = new DriverProcess(launch.name(), logFile, builder.start());
    Thread reader = new Thread(driver::readMessages, "driver-output-" + launch.name());
    reader.setDaemon(true);
    reader.start();
    return driver;
  }

  static String classPath(String... entries) {
    return String.join(File.pathSeparator, entries);
  }

  Path logFile() {
    return logFile;
  }

  /** Handle of the driver process. */
  public ProcessHandle process() {
    return process.toHandle();
  }

  /** Sends a command to the driver, see {@link DriverMessage}. */
  public void run(String arguments) throws DemoException {
    try {
      OutputStream in = process.getOutputStream();
      in.write((DriverMessage.RUN + arguments + "\n").getBytes(StandardCharsets.UTF_8));
      in.flush();
    } catch (IOException e) {
      throw DemoException.failed(ended(), e);
    }
  }

  /**
   * Waits for the next message of a type.
   *
   * @throws DemoException if the driver ends, fails, or sends no such message before the timeout
   */
  public <M extends DriverMessage> M await(Class<M> type, Duration timeout)
      throws DemoException, InterruptedException {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    while (true) {
      Optional<DriverMessage> message = take(deadlineNanos, timeout);
      if (message.isEmpty()) {
        throw DemoException.failed(ended());
      }
      if (type.isInstance(message.get())) {
        return type.cast(message.get());
      }
    }
  }

  /** Waits until the driver has ended by itself, and reports progress. */
  void awaitEnd(Duration timeout, Consumer<DriverMessage.Progress> progress)
      throws DemoException, InterruptedException {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    for (Optional<DriverMessage> message = take(deadlineNanos, timeout);
        message.isPresent();
        message = take(deadlineNanos, timeout)) {
      if (message.get() instanceof DriverMessage.Progress step) {
        progress.accept(step);
      }
    }
    if (!process.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw DemoException.failed(ended());
    }
  }

  /**
   * Returns the next message, or empty after the driver has ended. A {@link DriverMessage.Failed}
   * is thrown as an exception.
   */
  private Optional<DriverMessage> take(long deadlineNanos, Duration timeout)
      throws DemoException, InterruptedException {
    Optional<DriverMessage> message =
        messages.poll(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    if (message == null) {
      throw DemoException.failed(
          "Spark ("
              + name
              + ") did not answer within "
              + timeout.toSeconds()
              + " s; log: "
              + logFile);
    }
    if (message.isEmpty()) {
      messages.add(END);
    } else if (message.get() instanceof DriverMessage.Failed failed) {
      throw DemoException.failed(
          failed.task()
              + " failed in Spark ("
              + name
              + "): "
              + failed.reason()
              + "; log: "
              + logFile);
    }
    return message;
  }

  /** Lets the driver exit, then kills it and its executors. Idempotent. */
  @Override
  public void close() {
    List<ProcessHandle> executors = process.descendants().toList();
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // The driver has already ended.
    }
    if (!awaitExit()) {
      process.destroy();
      if (!awaitExit()) {
        process.destroyForcibly();
      }
    }
    executors.forEach(ProcessHandle::destroyForcibly);
  }

  /** Kills the driver and its executors. */
  void kill() {
    List<ProcessHandle> executors = process.descendants().toList();
    process.destroyForcibly();
    executors.forEach(ProcessHandle::destroyForcibly);
  }

  private boolean awaitExit() {
    boolean interrupted = false;
    long deadlineNanos = System.nanoTime() + STOP_TIMEOUT.toNanos();
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

  private String ended() {
    String last = LogTail.of(logFile, 1);
    return "Spark ("
        + name
        + ") ended unexpectedly"
        + (last.isEmpty() ? "" : ": " + last.strip())
        + "; log: "
        + logFile;
  }

  private void readMessages() {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        DriverMessage.parse(line).ifPresent(message -> messages.add(Optional.of(message)));
      }
    } catch (IOException | IllegalArgumentException e) {
      messages.add(
          Optional.of(
              new DriverMessage.Failed(
                  "reading the driver's output", String.valueOf(e.getMessage()))));
    } finally {
      messages.add(END);
    }
  }
}
