package io.sluice.coordinator.state;

import static io.sluice.common.error.PeerText.quoted;

import io.sluice.common.auth.UserNames;
import io.sluice.common.config.HostText;
import io.sluice.common.config.ZoneText;
import io.sluice.common.error.PeerText;
import io.sluice.proto.ApplicationLoad;
import io.sluice.proto.DiskState;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.MoveTargetRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleLoad;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.StoredData;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * Checks of requests. Each check returns null if the request is valid; otherwise one line with the
 * field, the expected and the found value.
 */
final class RequestChecks {
  static final int MAX_PARTITIONS = (1 << 24) - 1;
  static final int MAX_REPLICAS = 16;
  static final int MAX_TAGS = 64;
  static final int MAX_DISKS = 256;
  static final int MAX_PATH_LENGTH = 4096;
  static final int MAX_EXCLUDED_SERVERS = 10_000;
  static final int MAX_APPLICATIONS = 100_000;
  static final int MAX_STORED_ENTRIES = 1024;
  static final int MAX_MOVES = 10_000;

  private static final int MAX_KEPT_LENGTH = 256;

  /** Maximum number of directories of a remote tier that one server serves. */
  private static final int MAX_DIRECTORIES = 256;

  private static final Pattern SERVER = Pattern.compile("[A-Za-z0-9._:\\[\\]-]{1,256}");
  private static final Pattern DIRECTORY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  /** Text that cannot break a log line: no control characters, no line or paragraph separators. */
  private static final Pattern ONE_LINE = Pattern.compile("[^\\p{Cc}\\p{Zl}\\p{Zp}]{0,256}");

  private RequestChecks() {}

  static boolean isServerName(String name) {
    return SERVER.matcher(name).matches();
  }

  static String application(String name) {
    return UserNames.isApplication(name)
        ? null
        : "application id: expected " + UserNames.EXPECTED_APPLICATION + ", found " + quoted(name);
  }

  static String registerApplication(RegisterApplicationRequest request) {
    String problem = application(request.getApplication());
    if (problem == null && !ONE_LINE.matcher(request.getUser()).matches()) {
      problem =
          "user: expected at most 256 characters and no control characters, found "
              + quoted(request.getUser());
    }
    if (problem == null && !ONE_LINE.matcher(request.getClientVersion()).matches()) {
      problem =
          "client_version: expected at most 256 characters and no control characters, found "
              + quoted(request.getClientVersion());
    }
    return problem == null ? servers(request) : problem;
  }

  private static String servers(RegisterApplicationRequest request) {
    if (request.getServersCount() > MAX_EXCLUDED_SERVERS) {
      return "servers: expected at most "
          + MAX_EXCLUDED_SERVERS
          + ", found "
          + request.getServersCount();
    }
    return request.getServersList().stream()
        .filter(name -> !SERVER.matcher(name).matches())
        .findFirst()
        .map(name -> "servers: expected 1 to 256 of [A-Za-z0-9._:[]-], found " + quoted(name))
        .orElse(null);
  }

  static String registerShuffle(RegisterShuffleRequest request) {
    String problem = shuffle(request.getShuffle());
    if (problem != null) {
      return problem;
    }
    if (request.getPartitionCount() < 1 || request.getPartitionCount() > MAX_PARTITIONS) {
      return "partition_count: expected 1 to "
          + MAX_PARTITIONS
          + ", found "
          + request.getPartitionCount();
    }
    if (request.getReplicas() < 1 || request.getReplicas() > MAX_REPLICAS) {
      return "replicas: expected 1 to " + MAX_REPLICAS + ", found " + request.getReplicas();
    }
    if (request.getMaxServers() < 0) {
      return "max_servers: expected 0 (no limit) or more, found " + request.getMaxServers();
    }
    if (request.getReplacementPartitions() < 0
        || request.getReplacementPartitions() > request.getPartitionCount()) {
      return "replacement_partitions: expected 0 (none) to partition_count "
          + request.getPartitionCount()
          + ", found "
          + request.getReplacementPartitions();
    }
    if (request.getExcludedServersCount() > MAX_EXCLUDED_SERVERS) {
      return "excluded_servers: expected at most "
          + MAX_EXCLUDED_SERVERS
          + ", found "
          + request.getExcludedServersCount();
    }
    if (!isZone(request.getPreferredZone())) {
      return "preferred_zone: expected "
          + ZoneText.EXPECTED
          + ", found "
          + quoted(request.getPreferredZone());
    }
    return tags("required_tags", request.getRequiredTagsList());
  }

  static String heartbeat(HeartbeatRequest request) {
    String problem = server(request.getServer());
    if (problem == null) {
      problem = state(request.getState());
    }
    if (problem == null) {
      problem = load(request.getLoad());
    }
    if (problem == null) {
      problem = tags("tags", request.getTagsList());
    }
    if (problem == null) {
      problem = stored(request.getStored());
    }
    if (problem == null) {
      problem = moves(request.getServer().getName(), request.getMovesList());
    }
    if (problem == null && request.getApplicationsCount() > MAX_APPLICATIONS) {
      problem =
          "applications: expected at most "
              + MAX_APPLICATIONS
              + ", found "
              + request.getApplicationsCount();
    }
    return problem;
  }

  private static String server(ServerId server) {
    if (!SERVER.matcher(server.getName()).matches()) {
      return "server name: expected 1 to 256 of [A-Za-z0-9._:[]-], found "
          + quoted(server.getName());
    }
    if (!SERVER.matcher(server.getHost()).matches()) {
      return "server host: expected 1 to 256 of [A-Za-z0-9._:[]-], found "
          + quoted(server.getHost());
    }
    String problem = host(server.getHost());
    if (problem != null) {
      return "server host: " + problem;
    }
    if (server.getRpcPort() < 1 || server.getRpcPort() > 65535) {
      return "rpc_port: expected 1 to 65535, found " + server.getRpcPort();
    }
    if (server.getNettyPort() < 0 || server.getNettyPort() > 65535) {
      return "netty_port: expected 0 (none) to 65535, found " + server.getNettyPort();
    }
    if (!isZone(server.getZone())) {
      return "server zone: expected " + ZoneText.EXPECTED + ", found " + quoted(server.getZone());
    }
    return server.getEpoch() > 0
        ? null
        : "epoch: expected milliseconds since 1970, found " + server.getEpoch();
  }

  private static boolean isZone(String zone) {
    return zone.isEmpty() || ZoneText.isName(zone);
  }

  /** Names and exclusions contain hosts, so each host must have one form. */
  private static String host(String host) {
    String canonical;
    try {
      canonical = HostText.canonical(host);
    } catch (IllegalArgumentException e) {
      return e.getMessage();
    }
    if (HostText.isWildcard(host)) {
      return "expected an address that clients can connect to, found " + host;
    }
    return canonical.equals(host) ? null : "expected " + canonical + ", found " + quoted(host);
  }

  private static String state(ServerState state) {
    return switch (state) {
      // UNRECOGNIZED: a state of a newer version. The server is live, but may not accept data.
      case ACTIVE, SERVER_DRAINING, UNHEALTHY, UNRECOGNIZED -> null;
      case SERVER_STATE_UNSPECIFIED, SERVER_LOST, EXCLUDED ->
          "state: expected ACTIVE, SERVER_DRAINING or UNHEALTHY, found " + state;
    };
  }

  private static String load(ServerLoad load) {
    long min =
        LongStream.of(
                load.getMemoryUsedBytes(),
                load.getMemoryCapacityBytes(),
                load.getPendingSpillBytes(),
                load.getPushBytesPerSecond(),
                load.getFetchBytesPerSecond(),
                load.getStoredBytes())
            .min()
            .orElse(0);
    if (min < 0) {
      return "load: expected no negative bytes, found " + min;
    }
    if (load.getDisksCount() > MAX_DISKS) {
      return "disks: expected at most " + MAX_DISKS + ", found " + load.getDisksCount();
    }
    for (DiskState disk : load.getDisksList()) {
      if (disk.getPath().length() > MAX_PATH_LENGTH) {
        return "disk path: expected at most "
            + MAX_PATH_LENGTH
            + " characters, found "
            + disk.getPath().length();
      }
      for (List<String> directories :
          List.of(disk.getDirectoriesList(), disk.getEmptyDirectoriesList())) {
        if (directories.size() > MAX_DIRECTORIES
            || directories.stream().anyMatch(name -> !DIRECTORY.matcher(name).matches())) {
          return "disk directories: expected at most "
              + MAX_DIRECTORIES
              + " names of 1 to 128 of [A-Za-z0-9._-], found "
              + directories.size();
        }
      }
      if (disk.getFreeBytes() < 0 || disk.getCapacityBytes() < 0) {
        return "disk: expected no negative bytes, found free_bytes="
            + disk.getFreeBytes()
            + " capacity_bytes="
            + disk.getCapacityBytes();
      }
    }
    return null;
  }

  /** Bounds the data that is kept until the next heartbeat. */
  private static String stored(StoredData stored) {
    int count = Math.max(stored.getApplicationsCount(), stored.getShufflesCount());
    if (count > MAX_STORED_ENTRIES) {
      return "stored: expected at most "
          + MAX_STORED_ENTRIES
          + " applications and shuffles, found "
          + count;
    }
    for (ApplicationLoad load : stored.getApplicationsList()) {
      String problem = application(load.getApplication());
      if (problem != null || load.getStoredBytes() < 0) {
        return "stored: "
            + (problem != null
                ? problem
                : "expected no negative bytes, found " + load.getStoredBytes());
      }
    }
    for (ShuffleLoad load : stored.getShufflesList()) {
      String problem = application(load.getShuffle().getApplication());
      long min = Math.min(load.getStoredBytes(), load.getLargestPartitionBytes());
      if (problem != null || min < 0) {
        return "stored: "
            + (problem != null ? problem : "expected no negative bytes, found " + min);
      }
    }
    return null;
  }

  private static String moves(String server, List<ShuffleMove> moves) {
    if (moves.size() > MAX_MOVES) {
      return "moves: expected at most " + MAX_MOVES + ", found " + moves.size();
    }
    for (ShuffleMove move : moves) {
      String problem = shuffle(move.getShuffle());
      // A move from another server is of data that this server has adopted.
      if (problem == null
          && !move.getFrom().equals(server)
          && !(SERVER.matcher(move.getFrom()).matches() && move.getTo().getName().equals(server))) {
        problem = "expected from " + server + ", found " + quoted(move.getFrom());
      }
      if (problem == null) {
        problem = server(move.getTo());
      }
      if (problem != null) {
        return "moves: " + problem;
      }
    }
    return null;
  }

  static String moveTarget(MoveTargetRequest request) {
    String problem = shuffle(request.getShuffle());
    if (problem == null && !SERVER.matcher(request.getFrom()).matches()) {
      problem = "from: expected 1 to 256 of [A-Za-z0-9._:[]-], found " + quoted(request.getFrom());
    }
    if (problem == null && request.getExcludedServersCount() > MAX_EXCLUDED_SERVERS) {
      problem =
          "excluded_servers: expected at most "
              + MAX_EXCLUDED_SERVERS
              + ", found "
              + request.getExcludedServersCount();
    }
    return problem;
  }

  private static String shuffle(ShuffleId id) {
    String problem = application(id.getApplication());
    return problem == null && id.getShuffle() < 0
        ? "shuffle: expected a number from 0, found " + id.getShuffle()
        : problem;
  }

  private static String tags(String field, Iterable<String> tags) {
    int count = 0;
    for (String tag : tags) {
      if (!TAG.matcher(tag).matches()) {
        return field + ": expected 1 to 64 of [A-Za-z0-9._-], found " + quoted(tag);
      }
      count++;
    }
    return count <= MAX_TAGS ? null : field + ": expected at most " + MAX_TAGS + ", found " + count;
  }

  /** Returns text of a client or server, shortened and safe to log. */
  static String clipped(String input) {
    return PeerText.clipped(input, MAX_KEPT_LENGTH);
  }
}
