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
      "Take servers out of use: they take no new assignment, serve what they hold, and end once it is"
          + " forgotten (exit code 80 of the server).",
      "With --move they copy what they hold to other servers, tell the jobs, and end then.",
      "A server itself keeps the wish until it ends; a restart of it forgets the wish."
    },
    exitCodeList = {
      "0:the servers know; with --wait: they have left",
      "1:failed, or --wait-timeout was over first",
      "2:wrong usage",
      "4:no server of that name is known; then none was told"
    })
final class DecommissionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private QuorumOptions quorum;

  @Parameters(
      arity = "1..*",
      paramLabel = "SERVER",
      description = "Names of servers, as `sluice admin servers` shows them.")
  private List<String> servers = new ArrayList<>();

  @Option(names = "--cancel", description = "Not any more: take assignments again.")
  private boolean cancel;

  @Option(
      names = "--deadline",
      paramLabel = "TIME",
      defaultValue = "0",
      converter = OptionTypes.Millis.class,
      description = "End after this time even with data that is still wanted; default: never.")
  private long deadlineMs;

  @Option(
      names = "--move",
      description =
          "Do not wait until jobs have read what the servers hold: other servers get it. What cannot"
              + " be moved is waited for.")
  private boolean move;

  @Option(names = "--wait", description = "Wait until they have left, and tell what they hold.")
  private boolean wait;

  @Mixin private WaitOptions patience = new WaitOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (ControlledCluster cluster = new ControlledCluster(quorum)) {
      List<ServerInfo> known = cluster.servers();
      List<ServerInfo> named = new ArrayList<>();
      for (String name : servers) {
        named.add(
            find(known, name)
                .orElseThrow(
                    () ->
                        new CommandFailure(
                            ExitCode.NOT_FOUND, "no server of that name is known: " + name)));
      }
      for (ServerInfo info : named) {
        tell(cluster, info);
      }
      return wait && !cancel ? awaitLeft(cluster) : 0;
    }
  }

  private void tell(ControlledCluster cluster, ServerInfo info) throws IOException {
    String name = info.getServer().getName();
    if (cancel) {
      cluster.resume(info.getServer());
      print(name + ": goes on");
    } else {
      cluster.decommission(info.getServer(), deadlineMs, move);
      print(
          name
              + ": takes no new assignment, "
              + (move ? "moves what it holds, " : "")
              + "holds "
              + size(info.getLoad().getStoredBytes()));
    }
  }

  private int awaitLeft(ControlledCluster cluster) throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(servers);
    patience.await(
        "still there",
        () -> {
          List<ServerInfo> known = cluster.servers();
          List<String> lines = new ArrayList<>();
          for (String name : List.copyOf(left)) {
            Optional<ServerInfo> info =
                find(known, name).filter(found -> found.getState() != ServerState.SERVER_LOST);
            if (info.isEmpty()) {
              left.remove(name);
              lines.add(name + ": left");
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
    String held = "holds " + size(load.getStoredBytes());
    if (!load.hasMove()) {
      return held;
    }
    MoveProgress progress = load.getMove();
    return held
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
