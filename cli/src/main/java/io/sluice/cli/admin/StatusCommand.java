package io.sluice.cli.admin;

import static io.sluice.cli.admin.ServersCommand.size;

import io.sluice.cli.TextTable;
import io.sluice.cli.control.ControlChannel;
import io.sluice.cli.control.OptionTypes;
import io.sluice.common.config.HostPort;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.ListServersRequest;
import io.sluice.proto.ServerInfo;
import io.sluice.proto.ServerState;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice admin status}. */
@Command(name = "status", description = "Show counters of shuffle servers since their start.")
final class StatusCommand implements Callable<Integer> {

  @ArgGroup(multiplicity = "1")
  private Targets targets;

  @Option(
      names = "--timeout",
      defaultValue = "10s",
      paramLabel = "TIME",
      converter = OptionTypes.Millis.class,
      description = "Timeout of one control call; default ${DEFAULT-VALUE}.")
  private long timeoutMs;

  @Mixin private Output output;

  /** Servers to show: named servers, or all servers of a cluster. */
  static final class Targets {
    @Option(
        names = "--server",
        split = ",",
        paramLabel = "HOST:PORT",
        description = "RPC addresses of servers. Comma-separated or repeated.")
    private List<HostPort> servers;

    @Option(
        names = "--coordinator",
        split = ",",
        paramLabel = "HOST:PORT",
        description = "Coordinators: show all live servers known to the first one that answers.")
    private List<HostPort> coordinators;
  }

  @Override
  public Integer call() throws IOException {
    List<GetStatusReply> replies = new ArrayList<>();
    for (HostPort server : servers()) {
      try (ControlChannel channel = new ControlChannel("shuffle server", server, timeoutMs)) {
        GetStatusReply reply =
            channel.server(stub -> stub.getStatus(GetStatusRequest.getDefaultInstance()));
        channel.requireOk("report its status", reply.getStatus(), reply.getMessage());
        replies.add(reply);
      }
    }
    if (output.isJson()) {
      output.json(replies);
    } else {
      output.text(table(replies));
    }
    return 0;
  }

  private List<HostPort> servers() throws IOException {
    if (targets.servers != null) {
      return targets.servers;
    }
    try (ControlChannel channel =
        ControlChannel.firstCoordinator(targets.coordinators, timeoutMs)) {
      return channel
          .coordinator(stub -> stub.listServers(ListServersRequest.getDefaultInstance()))
          .getServersList()
          .stream()
          .filter(info -> info.getState() != ServerState.SERVER_LOST)
          .map(ServerInfo::getServer)
          .map(id -> new HostPort(id.getHost(), id.getRpcPort()))
          .toList();
    }
  }

  /** Table with one column per server, because there are more counters than servers. */
  private static TextTable table(List<GetStatusReply> replies) {
    String[] heading = new String[replies.size() + 1];
    heading[0] = "";
    for (int i = 0; i < replies.size(); i++) {
      heading[i + 1] = ">" + replies.get(i).getServer().getName();
    }
    TextTable table = new TextTable(heading);
    for (Line line : Line.values()) {
      Object[] cells = new Object[heading.length];
      cells[0] = line.name().toLowerCase(Locale.ROOT).replace('_', ' ');
      for (int i = 0; i < replies.size(); i++) {
        cells[i + 1] = line.of(replies.get(i));
      }
      table.row(cells);
    }
    return table;
  }

  /** Rows of the table, in order. */
  private enum Line {
    STATE,
    APPLICATIONS,
    SHUFFLES,
    CONNECTIONS,
    STORED,
    MOVED,
    LEFT_TO_MOVE,
    MEMORY_USED,
    MEMORY_PEAK,
    MEMORY_CAPACITY,
    PENDING_SPILL,
    PUSHED,
    PUSHED_FRAMES,
    PUSHED_BLOCKS,
    DUPLICATE_BLOCKS,
    REFUSED_FRAMES,
    CORRUPT_FRAMES,
    PAUSED_CONNECTIONS,
    SPILLED,
    SPILLED_RUNS,
    OPENS,
    OPENED_PARTITIONS,
    FETCHES,
    FETCHED,
    FETCHED_FROM_MEMORY,
    HEAP_USED,
    HEAP_MAX,
    CPU_SECONDS,
    CERTIFICATES_EXPIRE;

    Object of(GetStatusReply reply) {
      return switch (this) {
        case STATE -> reply.getState();
        case APPLICATIONS -> reply.getApplications();
        case SHUFFLES -> reply.getShuffles();
        case CONNECTIONS -> reply.getLoad().getConnections();
        case STORED -> size(reply.getLoad().getStoredBytes());
        case MOVED -> size(reply.getMovedBytes());
        case LEFT_TO_MOVE -> size(reply.getLoad().getMove().getBytesLeft());
        case MEMORY_USED -> size(reply.getLoad().getMemoryUsedBytes());
        case MEMORY_PEAK -> size(reply.getMemoryPeakBytes());
        case MEMORY_CAPACITY -> size(reply.getLoad().getMemoryCapacityBytes());
        case PENDING_SPILL -> size(reply.getLoad().getPendingSpillBytes());
        case PUSHED -> size(reply.getPushedBytes());
        case PUSHED_FRAMES -> reply.getPushedFrames();
        case PUSHED_BLOCKS -> reply.getPushedBlocks();
        case DUPLICATE_BLOCKS -> reply.getDuplicateBlocks();
        case REFUSED_FRAMES -> reply.getRefusedFrames();
        case CORRUPT_FRAMES -> reply.getCorruptFrames();
        case PAUSED_CONNECTIONS -> reply.getPausedConnections();
        case SPILLED -> size(reply.getSpilledBytes());
        case SPILLED_RUNS -> reply.getSpilledRuns();
        case OPENS -> reply.getOpens();
        case OPENED_PARTITIONS -> reply.getOpenedPartitions();
        case FETCHES -> reply.getFetches();
        case FETCHED -> size(reply.getFetchedBytes());
        case FETCHED_FROM_MEMORY -> size(reply.getFetchedFromMemoryBytes());
        case HEAP_USED -> size(reply.getHeapUsedBytes());
        case HEAP_MAX -> size(reply.getHeapMaxBytes());
        case CPU_SECONDS ->
            String.format(Locale.ROOT, "%.1f", reply.getProcessCpuNanos() / 1_000_000_000.0);
        case CERTIFICATES_EXPIRE ->
            reply.getCertificateExpiryMs() == 0
                ? "-"
                : LocalDate.ofInstant(
                    Instant.ofEpochMilli(reply.getCertificateExpiryMs()), ZoneOffset.UTC);
      };
    }
  }
}
