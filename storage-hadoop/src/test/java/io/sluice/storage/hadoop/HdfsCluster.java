package io.sluice.storage.hadoop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * HDFS in a process of its own: a name node and a data node on free ports of the loopback
 * interface. The process can be stopped, paused and started again with the same port and data. Used
 * by one thread.
 */
final class HdfsCluster implements AutoCloseable {
  private static final String MAIN = "org.apache.hadoop.test.MiniDFSClusterManager";
  private static final Pattern PORT = Pattern.compile("\"namenode_port\"\\s*:\\s*(\\d+)");
  private static final long TIMEOUT_S = 90;

  private final String classPath;
  private final Path directory;
  private int port;
  private Process process;

  /**
   * @param classPath Hadoop's mini cluster
   * @param directory for data, logs and the port; empty
   */
  HdfsCluster(String classPath, Path directory) throws IOException, InterruptedException {
    this.classPath = classPath;
    this.directory = Files.createDirectories(directory);
    start(List.of("-format"));
  }

  /** URI of the root directory, without a slash at the end. */
  String uri() {
    return "hdfs://127.0.0.1:" + port;
  }

  /** Starts the stopped process again. */
  void restart() throws IOException, InterruptedException {
    start(List.of("-nnport", Integer.toString(port)));
  }

  private void start(List<String> options) throws IOException, InterruptedException {
    Path details = directory.resolve("details.json");
    Files.deleteIfExists(details);
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                classPath,
                MAIN,
                "-datanodes",
                "1",
                "-writeDetails",
                details.toString(),
                "-D",
                "hdfs.minidfs.basedir=" + directory.resolve("data"),
                "-D",
                "dfs.namenode.fs-limits.min-block-size=1024"));
    command.addAll(options);
    process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(directory.resolve("hdfs.log").toFile()))
            .start();
    awaitPort(details);
  }

  private void awaitPort(Path details) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
    while (System.nanoTime() < deadline) {
      if (Files.exists(details)) {
        Matcher written = PORT.matcher(Files.readString(details));
        if (written.find()) {
          port = Integer.parseInt(written.group(1));
          return;
        }
      }
      if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
        throw new IOException(
            "HDFS ended with "
                + process.exitValue()
                + ":\n"
                + Files.readString(directory.resolve("hdfs.log")));
      }
    }
    close();
    throw new IOException("HDFS did not start within " + TIMEOUT_S + " s");
  }

  /** Stops all threads of the process: connections stay open, and nothing is answered. */
  void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Ends a pause. */
  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    if (kill.waitFor() != 0) {
      throw new IOException("kill -" + name + " ended with " + kill.exitValue());
    }
  }

  /** Kills the process; the data stays. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
