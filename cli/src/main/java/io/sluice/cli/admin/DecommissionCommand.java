package io.sluice.cli.admin;

import static io.sluice.cli.admin.ServersCommand.size;

import io.sluice.cli.control.CommandFailure;
import io.sluice.cli.control.ExitCode;
import io.sluice.cli.control.OptionTypes;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.proto.MoveProgress;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice admin decommission}. */
@Command(
    name = "decommission",
    description = {
      "Decommission servers: they get no new assignments, serve their data, and exit with "
          + "code 80 when the data is no longer"
          + " needed.",
      "With --move, they copy their data to other servers, notify the drivers, and exit.",
      "A restart of the server process cancels its decommission."
    },
    exitCodeList = {
      "0:the servers accepted the request; with --wait: they have exited",
      "1:failed, or --wait-timeout expired",
      "2:wrong usage",
      "4:a server is not known; no server was changed"
    })
final class DecommissionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private QuorumOptions quorum;

  @Parameters(
      arity = "1..*",
      paramLabel = "SERVER",
      description = "Names of servers, as listed by `sluice admin servers`.")
  private List<String> servers = new ArrayList<>();

  @Option(
      names = "--cancel",
      description = "Cancel the decommission; the servers accept assignments again.")
  private boolean cancel;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      defaultValue = "0",
      converter = OptionTypes.Millis.class,
      description =
          "Time after which a server exits even if its data is still needed; default: no limit.")
  private long deadlineMs;

  @Option(
      names = "--move",
      description =
          "Copy the data to other servers, and exit when it is copied. The server still "
              + "waits for data that cannot be moved.")
  private boolean move;

  @Option(
      names = "--wait",
      description = "Wait until the servers have exited, and print their stored data meanwhile.")
  private boolean wait;

  @Mixin private WaitOptions waiting = new WaitOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (ControlledCluster cluster = new ControlledCluster(quorum)) {
      List<ServerInfo> known = cluster.servers();
      List<ServerInfo> named = new ArrayList<>();
      for (String name : servers) {
        named.add(
            find(known, name)
                .orElseThrow(
                    () -> new CommandFailure(ExitCode.NOT_FOUND, "server is not known: " + name)));
      }
      for (ServerInfo info : named) {
        request(cluster, info);
      }
      return wait && !cancel ? awaitLeft(cluster) : 0;
    }
  }

  private void request(ControlledCluster cluster, ServerInfo info) throws IOException {
    String name = info.getServer().getName();
    if (cancel) {
      cluster.resume(info.getServer());
      print(name + ": decommission cancelled");
    } else {
      cluster.decommission(info.getServer(), deadlineMs, move);
      print(
          name
              + ": gets no new assignments, "
              + (move ? "moves its data, " : "")
              + "stores "
              + size(info.getLoad().getStoredBytes()));
    }
  }

  private int awaitLeft(ControlledCluster cluster) throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(servers);
    waiting.await(
        "servers still running",
        () -> {
          List<ServerInfo> known = cluster.servers();
          List<String> lines = new ArrayList<>();
          for (String name : List.copyOf(left)) {
            Optional<ServerInfo> info =
                find(known, name).filter(found -> found.getState() != ServerState.SERVER_LOST);
            if (info.isEmpty()) {
              left.remove(name);
              lines.add(name + ": exited");
            } else {
              lines.add(name + ": " + progress(info.get().getLoad()));
            }
          }
          lines.forEach(this::print);
          return left;
        });
    return 0;
  }

  private static String progress(ServerLoad load) {
    String stored = "stores " + size(load.getStoredBytes());
    if (!load.hasMove()) {
      return stored;
    }
    MoveProgress progress = load.getMove();
    return stored
        + ", moved "
        + size(progress.getMovedBytes())
        + ", left "
        + size(progress.getBytesLeft())
        + " of "
        + progress.getShufflesLeft()
        + (progress.getShufflesLeft() == 1 ? " shuffle" : " shuffles")
        + (progress.getWaitsFor().isEmpty() ? "" : "; " + progress.getWaitsFor());
  }

  private static Optional<ServerInfo> find(List<ServerInfo> known, String name) {
    return known.stream().filter(info -> info.getServer().getName().equals(name)).findFirst();
  }

  private void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
