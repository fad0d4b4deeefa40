package io.sluice.cli.admin;

import io.sluice.cli.TextTable;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.DataSize;
import io.sluice.common.config.DurationText;
import io.sluice.proto.DiskState;
import io.sluice.proto.ListServersReply;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.ServerLoad;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice admin servers}. */
@Command(name = "servers", description = "The shuffle servers as a coordinator sees them.")
final class ServersCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private Output output;

  @Override
  public Integer call() throws IOException {
    try (ControlChannel channel = quorum.connect()) {
      ListServersReply reply =
          channel.coordinator(stub -> stub.listServers(ListServersRequest.getDefaultInstance()));
      channel.demandOk("list servers", reply.getStatus(), reply.getMessage());
      if (output.isJson()) {
        output.json(reply);
      } else {
        output.text(table(reply));
      }
      return 0;
    }
  }

  private static TextTable table(ListServersReply reply) {
    TextTable table =
        new TextTable(
            "server",
            "state",
            ">memory",
            ">of",
            ">to spill",
            ">stored",
            ">disks",
            ">connections",
            ">push/s",
            ">fetch/s",
            ">heard",
            "tags");
    for (ServerInfo info : reply.getServersList()) {
      ServerLoad load = info.getLoad();
      long healthy = load.getDisksList().stream().filter(DiskState::getHealthy).count();
      table.row(
          info.getServer().getName(),
          info.getState(),
          size(load.getMemoryUsedBytes()),
          size(load.getMemoryCapacityBytes()),
          size(load.getPendingSpillBytes()),
          size(load.getStoredBytes()),
          healthy + "/" + load.getDisksCount(),
          load.getConnections(),
          size(load.getPushBytesPerSecond()),
          size(load.getFetchBytesPerSecond()),
          DurationText.print(info.getLastHeartbeatAgeMs()) + " ago",
          String.join(",", info.getTagsList()));
    }
    return table;
  }

  static String size(long bytes) {
    return new DataSize(bytes).toRoundedText();
  }
}
