package io.sluice.benchmark.published;

import io.sluice.cli.bench.BenchLoad;
import io.sluice.cli.bench.BenchRun;
import io.sluice.cli.bench.ProgressLine;
import io.sluice.cli.control.ControlIdentity;
import io.sluice.client.TransportKind;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.IoMode;
import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A process with many tasks, each of which pushes its blocks over a connection of its own, one
 * frame at a time. It prints {@value #READY} when all connections are open, waits for a line of
 * standard input, and prints a line of {@link PusherResult} when all tasks have ended.
 */
final class Pushers {
  /** Line of a process whose connections are open. */
  static final String READY = "ready";

  private static final long CALL_TIMEOUT_MS = 60_000;
  private static final long REQUEST_TIMEOUT_MS = 300_000;
  private static final int EVENT_LOOPS = 1;
  private static final int PARTITIONS = 100;
  private static final int ARGUMENTS = 7;

  private Pushers() {}

  /**
   * Tasks of a process.
   *
   * @param localAddress address from which the process connects, of the network 127.0.0.0/8
   * @param tasks number of tasks
   * @param taskBytes payload of a task
   * @param frameBytes maximum size of a push frame
   */
  record Plan(
      HostPort coordinator,
      String localAddress,
      TransportKind transport,
      int tasks,
      long taskBytes,
      int blockBytes,
      int frameBytes) {

    /** Arguments of {@link #main}. */
    List<String> toArguments() {
      return List.of(
          coordinator.toString(),
          localAddress,
          transport.name(),
          Integer.toString(tasks),
          Long.toString(taskBytes),
          Integer.toString(blockBytes),
          Integer.toString(frameBytes));
    }

    static Plan parse(String... arguments) {
      if (arguments.length != ARGUMENTS) {
        throw new IllegalArgumentException(
            "expected " + ARGUMENTS + " arguments, found " + arguments.length);
      }
      return new Plan(
          HostPort.parse(arguments[0]),
          arguments[1],
          TransportKind.valueOf(arguments[2]),
          Integer.parseInt(arguments[3]),
          Long.parseLong(arguments[4]),
          Integer.parseInt(arguments[5]),
          Integer.parseInt(arguments[6]));
    }

    private BenchLoad load() {
      return new BenchLoad(
          tasks,
          blockBytes,
          taskBytes * tasks,
          PARTITIONS,
          frameBytes,
          transport,
          IoMode.EPOLL,
          EVENT_LOOPS,
          1,
          // One frame of every task at a time.
          (long) tasks * Math.max(frameBytes, 2 * blockBytes),
          REQUEST_TIMEOUT_MS);
    }
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Plan plan = Plan.parse(arguments);
    // The cluster has no authentication; credentials in the environment are not for it.
    BenchRun.Target target =
        new BenchRun.Target(
            List.of(plan.coordinator()),
            CALL_TIMEOUT_MS,
            ControlIdentity.of(Map.of(), System.getProperty("user.name")),
            Optional.of(InetAddress.getByName(plan.localAddress())));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ProgressLine.Factory silent =
        ProgressLine.Factory.of(false, new PrintWriter(Writer.nullWriter()));
    try (BenchRun run = BenchRun.start(plan.load(), target, silent, target.freshApplication())) {
      try {
        PusherResult result =
            PusherResult.of(
                run.push(
                    () -> {
                      System.out.println(READY);
                      if (in.readLine() == null) {
                        throw new EOFException("the parent process has ended");
                      }
                    }));
        System.out.println(result.toLine());
      } finally {
        run.cluster().forget();
      }
    }
  }
}
