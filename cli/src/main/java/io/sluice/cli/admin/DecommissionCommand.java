package io.sluice.cli.admin;

import static io.sluice.cli.admin.ServersCommand.size;

import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.OptionTypes;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.HostPort;
import io.sluice.proto.DecommissionReply;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerInfo;
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
          + " forgotten (exit code 3 of the server).",
      "A server itself keeps the wish until it ends; a restart of it forgets the wish."
    },
    exitCodeList = {
      "0:the servers know; with --wait: they have left",
      "1:failed, or --wait-timeout was over first",
      "2:wrong usage"
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

  @Option(names = "--wait", description = "Wait until they have left, and tell what they hold.")
  private boolean wait;

  @Mixin private WaitOptions patience = new WaitOptions();

  @Override
  public Integer call() throws IOException, InterruptedException {
    try (ControlChannel channel = quorum.connect()) {
      List<ServerInfo> known = list(channel).getServersList();
      List<ServerInfo> named = new ArrayList<>();
      for (String name : servers) {
        named.add(
            find(known, name)
                .orElseThrow(
                    () ->
                        new IOException(
                            "no server of that name is known to coordinator "
                                + channel.peer()
                                + ": "
                                + name)));
      }
      for (ServerInfo info : named) {
        tell(info);
      }
      return wait && !cancel ? awaitLeft(channel) : 0;
    }
  }

  private void tell(ServerInfo info) throws IOException {
    HostPort address = new HostPort(info.getServer().getHost(), info.getServer().getRpcPort());
    try (ControlChannel server =
        new ControlChannel("shuffle server", address, quorum.timeoutMs())) {
      DecommissionReply reply =
          server.server(
              stub ->
                  stub.decommission(
                      DecommissionRequest.newBuilder()
                          .setCancel(cancel)
                          .setDeadlineMs(deadlineMs)
                          .build()));
      server.demandOk(
          cancel ? "go on" : "be decommissioned", reply.getStatus(), reply.getMessage());
    }
    print(
        info.getServer().getName()
            + ": "
            + (cancel ? "goes on" : "takes no new assignment")
            + (cancel ? "" : ", holds " + size(info.getLoad().getStoredBytes())));
  }

  private int awaitLeft(ControlChannel channel) throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(servers);
    patience.await(
        "still there",
        () -> {
          List<ServerInfo> known = list(channel).getServersList();
          List<String> lines = new ArrayList<>();
          for (String name : List.copyOf(left)) {
            Optional<ServerInfo> info =
                find(known, name).filter(found -> found.getState() != ServerState.SERVER_LOST);
            if (info.isEmpty()) {
              left.remove(name);
              lines.add(name + ": left");
            } else {
              lines.add(name + ": holds " + size(info.get().getLoad().getStoredBytes()));
            }
          }
          lines.forEach(this::print);
          return left;
        });
    return 0;
  }

  private static ListServersReply list(ControlChannel channel) throws IOException {
    ListServersReply reply =
        channel.coordinator(stub -> stub.listServers(ListServersRequest.getDefaultInstance()));
    channel.demandOk("list servers", reply.getStatus(), reply.getMessage());
    return reply;
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
