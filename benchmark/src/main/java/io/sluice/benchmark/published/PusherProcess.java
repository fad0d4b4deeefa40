package io.sluice.benchmark.published;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of {@link Pushers}, which ends with this process. Used by one thread. */
final class PusherProcess implements AutoCloseable {
  private static final long STOP_TIMEOUT_SECONDS = 30;

  private final Process process;
  private final BufferedReader out;

  private PusherProcess(Process process) {
    this.process = process;
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  static PusherProcess start(Pushers.Plan plan) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:MaxDirectMemorySize=4g",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Pushers.class.getName()));
    command.addAll(plan.toArguments());
    return new PusherProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Waits until all connections are open. */
  void awaitReady() throws IOException {
    String line = readLine();
    if (!line.equals(Pushers.READY)) {
      throw new IOException(
          "expected \"" + Pushers.READY + "\" of pushers, found \"" + line + "\"");
    }
  }

  /** Starts the tasks. */
  void begin() throws IOException {
    Writer in = process.outputWriter(StandardCharsets.UTF_8);
    in.write("begin\n");
    in.flush();
  }

  /** Waits until all tasks have ended. */
  PusherResult result() throws IOException {
    return PusherResult.parse(readLine());
  }

  private String readLine() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("a process of pushers failed; its error is above");
    }
    return line;
  }

  @Override
  public void close() {
    boolean interrupted = false;
    try {
      process.getOutputStream().close();
      if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException alreadyEnded) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
