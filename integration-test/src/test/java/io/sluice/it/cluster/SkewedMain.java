package io.sluice.it.cluster;

import io.sluice.cli.Main;
import io.sluice.common.config.ConfigReader;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.coordinator.SkewedCoordinator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/**
 * Entry point of processes of a cluster: {@code sluice}, or a coordinator whose wall clock has the
 * offset in the system property {@value #OFFSET}.
 */
public final class SkewedMain {
  private static final String OFFSET = "sluice.test.clock.offset";

  private SkewedMain() {}

  /** JVM option of a coordinator with a wrong clock. */
  public static String option(Duration offset) {
    return "-D" + OFFSET + "=" + offset;
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    String offset = System.getProperty(OFFSET);
    if (offset == null) {
      Main.main(args);
      return;
    }
    try {
      start(List.of(args), Duration.parse(offset));
    } catch (IOException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
    Thread.currentThread().join();
  }

  private static void start(List<String> arguments, Duration offset) throws IOException {
    CoordinatorProcess coordinator =
        SkewedCoordinator.start(
            ConfigReader.of(CoordinatorConfig.SCHEMA).file(value(arguments, "--conf")).read(),
            offset);
    Runtime.getRuntime().addShutdownHook(new Thread(coordinator::close, "stop"));
    Path ready = value(arguments, "--ready-file");
    Path unfinished = ready.resolveSibling(ready.getFileName() + ".unfinished");
    Files.writeString(
        unfinished,
        "rpc.port=" + coordinator.rpcPort() + "\nhttp.port=" + coordinator.httpPort() + "\n");
    Files.move(unfinished, ready, StandardCopyOption.ATOMIC_MOVE);
  }

  private static Path value(List<String> arguments, String option) {
    return Path.of(arguments.get(arguments.indexOf(option) + 1));
  }
}
