package io.sluice.it.spark;

import io.sluice.localcluster.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Spark's external shuffle service in a separate process. */
final class ExternalShuffleService implements AutoCloseable {
  private static final Path SPARK_JARS =
      Path.of(System.getProperty("user.dir")).resolve("../demo/target/spark-home/jars").normalize();
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Path directory;
  private final int port;
  private Process process;

  /**
   * @param directory directory for its files; created here
   */
  ExternalShuffleService(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.port = new FreePorts(new Random()).next();
  }

  /** Returns when it accepts connections. */
  void start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(
        List.of(
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"));
    command.add("-Dspark.shuffle.service.enabled=true");
    command.add("-Dspark.shuffle.service.port=" + port);
    // The service serves only files below its spark.local.dir; applications write beside
    // "directory".
    command.add("-Dspark.local.dir=" + directory.getParent());
    command.addAll(List.of("-cp", SPARK_JARS + "/*"));
    command.add("org.apache.spark.deploy.ExternalShuffleService");
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    builder.redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile());
    process = builder.start();
    long begun = System.nanoTime();
    while (!accepts()) {
      if (!process.isAlive() || System.nanoTime() - begun > LIMIT_NANOS) {
        throw new IllegalStateException(
            "external shuffle service does not start: "
                + Files.readString(directory.resolve("log")));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private boolean accepts() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** An application that uses it. */
  SparkApplication configure(SparkApplication application) {
    return application
        .set("spark.shuffle.service.enabled", "true")
        // The default of Spark 4: Spark creates files that are readable for the service.
        .set("spark.shuffle.service.removeShuffle", "true")
        .set("spark.shuffle.service.port", Integer.toString(port));
  }

  @Override
  public void close() {
    if (process != null) {
      process.destroyForcibly();
    }
  }
}
