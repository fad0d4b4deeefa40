package io.sluice.localcluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * {@code sluice admin …} in a separate process, as an operator runs it, with the class path of this
 * process. Thread-safe.
 */
public final class AdminProcess {
  private static final long LIMIT_SECONDS = 120;

  /** Exit code and output. */
  public record Outcome(int exitCode, List<String> lines) {}

  /** Reaction of the operator to a line that the command printed. */
  public interface Operator {
    void read(String line) throws IOException, InterruptedException;
  }

  private final FutureTask<Outcome> run;
  private final CountDownLatch firstLine = new CountDownLatch(1);

  private AdminProcess(List<String> arguments, Operator operator) {
    Callable<Outcome> running = () -> follow(arguments, operator);
    run = new FutureTask<>(running);
  }

  public static AdminProcess start(Operator operator, String... arguments) {
    AdminProcess started = new AdminProcess(List.of(arguments), operator);
    Thread thread = new Thread(started.run, "admin-" + arguments[0]);
    thread.setDaemon(true);
    thread.start();
    return started;
  }

  /** Waits until the command has printed a line or has ended. */
  public void awaitFirstLine() throws InterruptedException {
    if (!firstLine.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the command printed nothing within " + LIMIT_SECONDS + " s");
    }
  }

  public Outcome await() throws InterruptedException {
    try {
      return run.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "the command failed or did not end within " + LIMIT_SECONDS + " s", e);
    }
  }

  private Outcome follow(List<String> arguments, Operator operator)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.sluice.cli.Main"));
    command.add("admin");
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    List<String> lines = new ArrayList<>();
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        System.out.println(arguments.get(0) + ": " + line);
        lines.add(line);
        firstLine.countDown();
        operator.read(line);
      }
      return new Outcome(process.waitFor(), lines);
    } finally {
      firstLine.countDown();
      process.destroyForcibly();
    }
  }
}
