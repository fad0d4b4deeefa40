package io.sluice.benchmark.floor;

import io.sluice.benchmark.cluster.ProcessMeter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The process of a {@link FloorServer}, which ends with this process. */
final class FloorProcess implements AutoCloseable {
  private static final long STOP_TIMEOUT_SECONDS = 10;

  private final Process process;
  private final int port;

  private FloorProcess(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /** Starts the process, which keeps its files in {@code directory}. */
  static FloorProcess start(Path directory) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:MaxDirectMemorySize=1g",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                FloorServer.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = out.readLine();
      if (line == null) {
        throw new IOException("the minimal server ended before it printed its port");
      }
      return new FloorProcess(process, Integer.parseInt(line));
    } catch (IOException | RuntimeException failure) {
      process.destroyForcibly();
      throw failure;
    }
  }

  int port() {
    return port;
  }

  ProcessMeter meter() {
    return new ProcessMeter(process.pid());
  }

  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException failure) {
      process.destroyForcibly();
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
