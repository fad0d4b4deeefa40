package io.sluice.it.spark;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Spark Connect client that runs {@code ConnectQuery} in a separate process. */
final class ConnectClient {
  private static final long LIMIT_SECONDS = 120;

  private ConnectClient() {}

  /**
   * Returns when the client has ended.
   *
   * @param server such as {@code sc://127.0.0.1:15002}
   * @param rows file that the query writes
   */
  static void run(SparkVersion spark, String server, Path rows)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(SparkApplication.SHORT_LIVED);
    // Off-heap memory of Arrow.
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.addAll(List.of("-cp", classPath(spark)));
    command.add(source().toString());
    command.addAll(List.of(server, rows.toString()));
    Path log = rows.resolveSibling("client.log");
    Process client =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!client.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS) || client.exitValue() != 0) {
        throw new IOException("the client failed or timed out: " + Files.readString(log));
      }
    } finally {
      client.destroyForcibly();
    }
  }

  /**
   * Class path as built by Spark's launcher for a remote shell: without the driver's SQL classes,
   * whose session would be found first, and without the SQL API, which the client's jar contains.
   */
  private static String classPath(SparkVersion spark) throws IOException {
    try (Stream<Path> jars = Files.list(spark.jars())) {
      return Stream.concat(
              Stream.of(SparkVersion.connectJar("spark-connect-client-jvm")),
              jars.filter(jar -> !jar.getFileName().toString().matches("spark-sql(-api)?_.*")))
          .map(Path::toString)
          .collect(Collectors.joining(":"));
    }
  }

  private static Path source() {
    try {
      return Path.of(ConnectClient.class.getResource("/connect/ConnectQuery.java").toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("a resource without a path", e);
    }
  }
}
