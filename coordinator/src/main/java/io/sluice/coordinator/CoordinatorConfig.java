package io.sluice.coordinator;

import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.app.ApplicationPolicy;
import io.sluice.coordinator.assign.AssignmentPolicy;
import io.sluice.coordinator.assign.HostRule;
import io.sluice.coordinator.assign.StrategyKind;
import io.sluice.coordinator.cluster.ServerPolicy;
import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The coordinator's configuration, read once at start.
 *
 * @param host address to listen on; empty: all interfaces
 * @param rpcPort 0: any free port
 * @param httpPort 0: any free port
 * @param dataDirectory of the metadata log; empty: it is in memory
 * @param maxMessageLength largest message of a peer, in bytes
 * @param maxConnections to the gRPC port
 * @param maxConnectionsPerPeer to the gRPC port, from one address
 * @param maxHttpConnections to the HTTP port, open at the same time
 * @param maxHttpConnectionsPerPeer to the HTTP port, from one address
 * @param excludeFile the list of excluded servers, if there is one
 * @param excludeReadIntervalMs how often that file is read
 * @param rules who may use how much, and what jobs are configured with
 */
public record CoordinatorConfig(
    String host,
    int rpcPort,
    int httpPort,
    Optional<Path> dataDirectory,
    int maxMessageLength,
    int maxConnections,
    int maxConnectionsPerPeer,
    int maxHttpConnections,
    int maxHttpConnectionsPerPeer,
    ServerPolicy servers,
    ApplicationPolicy applications,
    AssignmentPolicy assignment,
    Optional<Path> excludeFile,
    long excludeReadIntervalMs,
    RulesConfig rules,
    SecurityConfig security) {

  private static final int MAX_PORT = 65535;

  static final ConfigKey<Integer> RPC_PORT =
      ConfigKey.integer("rss.rpc.server.port")
          .defaultValue(19999)
          .atLeast(0)
          .atMost(MAX_PORT)
          .doc("Port for servers, drivers and tools. 0: any free port.")
          .build();
  static final ConfigKey<Integer> HTTP_PORT =
      ConfigKey.integer("rss.jetty.http.port")
          .defaultValue(19998)
          .atLeast(0)
          .atMost(MAX_PORT)
          .doc(
              "Port of the web pages (`/`), the REST API (`/api/v1/`), `/metrics` (Prometheus),"
                  + " `/healthz` and `/readyz`. 0: any free port.")
          .build();
  static final ConfigKey<String> HOST =
      ConfigKey.string("rss.coordinator.host")
          .defaultValue("")
          .defaultText("all interfaces")
          .doc(
              "Name or address of the interface to listen on. A name with a dot by which browsers"
                  + " reach the REST API must be this one where the API asks for no proof"
                  + " (security.md).")
          .build();
  static final ConfigKey<String> DATA_DIR =
      ConfigKey.string("rss.coordinator.data.dir")
          .check(CoordinatorConfig::isLocalPath, "a path of this machine, with or without file://")
          .doc(
              "Directory of the metadata log: exclusions and limits set over the API, decommissions,"
                  + " ended applications, fallbacks, events and throughput survive a restart."
                  + " Made if it is absent; one for each coordinator. Without it they are in memory"
                  + " and end with the process.")
          .build();
  static final ConfigKey<Long> MAX_MESSAGE =
      ConfigKey.dataSize("rss.rpc.message.max.size")
          .defaultValue(8L << 20)
          .atLeast(64L << 10)
          .atMost(1L << 30)
          .doc(
              "Largest heartbeat that is read: about 40 bytes for each application of which a"
                  + " server has data. Other calls have limits of their own (protocol.md).")
          .build();

  static final ConfigKey<Integer> MAX_CONNECTIONS =
      ConfigKey.integer("rss.coordinator.connections.max")
          .defaultValue(20_000)
          .atLeast(1)
          .doc(
              "Most open connections of servers, drivers and tools; a further one is closed. One is open for each server and each application.")
          .build();
  static final ConfigKey<Integer> MAX_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.coordinator.connections.per.peer.max")
          .defaultValue(2_500)
          .atLeast(1)
          .doc("Most of them from one address.")
          .build();
  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS =
      ConfigKey.integer("rss.coordinator.http.connections.max")
          .defaultValue(256)
          .atLeast(1)
          .doc("Most open connections to rss.jetty.http.port; a further one is closed.")
          .build();
  static final ConfigKey<Integer> MAX_HTTP_CONNECTIONS_PER_PEER =
      ConfigKey.integer("rss.coordinator.http.connections.per.peer.max")
          .defaultValue(64)
          .atLeast(1)
          .doc(
              "Most of them from one address. A browser has six of them; behind a reverse proxy all"
                  + " browsers have its address: then as many as in all.")
          .build();

  static final ConfigKey<Long> SERVER_TIMEOUT =
      ConfigKey.durationMs("rss.coordinator.server.heartbeat.timeout")
          .defaultValue(seconds(30))
          .atLeast(100L)
          .reloadable()
          .doc(
              "Silence after which a server counts as lost and is given nothing more. A shorter one holds once the longer one has passed.")
          .build();
  static final ConfigKey<Long> SERVER_INTERVAL =
      ConfigKey.durationMs("rss.coordinator.server.heartbeat.interval")
          .defaultValue(seconds(5))
          .atLeast(10L)
          .reloadable()
          .doc(
              "How often servers are asked to report. Must be less than the silence after which"
                  + " they are lost; a third of it or less is sensible.")
          .build();
  static final ConfigKey<Long> SERVER_FORGET =
      ConfigKey.durationMs("rss.coordinator.server.forget.after")
          .defaultValue(Duration.ofHours(1).toMillis())
          .reloadable()
          .doc("Silence after which a lost server is no longer listed.")
          .build();
  static final ConfigKey<Integer> SERVERS_MAX =
      ConfigKey.integer("rss.coordinator.servers.max")
          .defaultValue(10_000)
          .atLeast(1)
          .atMost(100_000)
          .reloadable()
          .doc("Most servers that are known at a time, lost ones included. More are refused.")
          .build();
  static final ConfigKey<Boolean> SILENT_ENABLED =
      ConfigKey.bool("rss.coordinator.startup-silent-period.enabled")
          .defaultValue(false)
          .doc(
              "Assign no shuffles for a while after the start, so that none is squeezed onto the"
                  + " few servers that happened to report first.")
          .build();
  static final ConfigKey<Long> SILENT_DURATION =
      ConfigKey.durationMs("rss.coordinator.startup-silent-period.duration")
          .defaultValue(seconds(20))
          .atLeast(0L)
          .doc("How long that while is. Longer than the interval of heartbeats is sensible.")
          .build();

  static final ConfigKey<Long> LEASE =
      ConfigKey.durationMs("rss.coordinator.app.expired")
          .defaultValue(seconds(60))
          .atLeast(100L)
          .reloadable()
          .doc(
              "How long an application lives without a sign of life of its driver. Drivers renew"
                  + " every third of it; afterwards servers drop its shuffles. A shorter one is"
                  + " told to drivers at once, and holds once the longer one has passed.")
          .build();
  static final ConfigKey<Integer> APPLICATIONS_MAX =
      ConfigKey.integer("rss.coordinator.app.max")
          .defaultValue(10_000)
          .atLeast(1)
          .atMost(1_000_000)
          .reloadable()
          .doc("Most live applications. More are refused and use their engine's own shuffle.")
          .build();
  static final ConfigKey<Long> ENDED_TIME =
      ConfigKey.durationMs("rss.coordinator.app.ended.remembered.time")
          .defaultValue(Duration.ofMinutes(10).toMillis())
          .atLeast(0L)
          .reloadable()
          .doc(
              "How long an application that ended is remembered, so that servers learn of its end"
                  + " from their heartbeats.")
          .build();
  static final ConfigKey<Integer> ENDED_MAX =
      ConfigKey.integer("rss.coordinator.app.ended.remembered.max")
          .defaultValue(10_000)
          .atLeast(0)
          .atMost(1_000_000)
          .reloadable()
          .doc(
              "Most ended applications that are remembered. Servers drop one that was forgotten"
                  + " when a whole lease has passed.")
          .build();
  static final ConfigKey<Integer> SHUFFLES_REMEMBERED =
      ConfigKey.integer("rss.coordinator.app.shuffles.remembered")
          .defaultValue(1000)
          .atLeast(0)
          .atMost(1_000_000)
          .reloadable()
          .doc(
              "Shuffles remembered of each application, the latest ones, 8 bytes each: one that is"
                  + " registered again with another partition count is refused.")
          .build();

  static final ConfigKey<StrategyKind> STRATEGY =
      ConfigKey.enumeration("rss.coordinator.assignment.strategy", StrategyKind.class)
          .defaultValue(StrategyKind.PARTITION_BALANCE)
          .reloadable()
          .doc(
              "How servers are chosen: `PARTITION_BALANCE` the better of two random ones, `BASIC`"
                  + " the least loaded, `RANDOM` any, `ROUND_ROBIN` in turn. See assignment.md.")
          .build();
  static final ConfigKey<HostRule> HOST_RULE =
      ConfigKey.enumeration("rss.coordinator.assignment.host.strategy", HostRule.class)
          .defaultValue(HostRule.PREFER_DIFF)
          .reloadable()
          .doc(
              "Copies of a partition: `PREFER_DIFF` on distinct hosts while there are enough,"
                  + " `MUST_DIFF` rather fewer copies than two on a host, `NONE` any servers.")
          .build();
  static final ConfigKey<Integer> NODES_MAX =
      ConfigKey.integer("rss.coordinator.shuffle.nodes.max")
          .defaultValue(9)
          .atLeast(1)
          .atMost(10_000)
          .reloadable()
          .doc("Most servers that one shuffle is spread over. A client may ask for fewer.")
          .build();
  static final ConfigKey<Double> STORAGE_USED_MAX =
      ConfigKey.percent("rss.coordinator.assignment.storage.used.max")
          .defaultValue(95.0)
          .check(percent -> percent > 0, "more than 0")
          .reloadable()
          .doc(
              "A server is given nothing more while this much of its healthy disks (of its memory,"
                  + " if it has no disks) is in use.")
          .build();

  static final ConfigKey<String> EXCLUDE_FILE =
      ConfigKey.string("rss.coordinator.exclude.nodes.file.path")
          .check(CoordinatorConfig::isLocalPath, "a path of this machine, with or without file://")
          .doc(
              "File that names servers to be given nothing more, one a line: `host:port`,"
                  + " `host-port`, the server's name, or a host for all servers on it. Read again"
                  + " while the coordinator runs, and never written: `sluice admin exclude` has a"
                  + " list of its own in `rss.coordinator.data.dir`. An absent file excludes no"
                  + " server.")
          .build();
  static final ConfigKey<Long> EXCLUDE_INTERVAL =
      ConfigKey.durationMs("rss.coordinator.exclude.nodes.check.interval")
          .deprecatedName("rss.coordinator.exclude.nodes.check.interval.ms")
          .defaultValue(seconds(60))
          .atLeast(10L)
          .reloadable()
          .doc("How often the exclude file is read.")
          .build();

  /** Every key of the coordinator. */
  public static final ConfigSchema SCHEMA =
      SecurityConfig.withoutSecrets(
              ConfigSchema.builder("coordinator")
                  .title("Coordinator")
                  .intro("Read from the file that `sluice coordinator --conf FILE` names."))
          .keys(RPC_PORT, HTTP_PORT, HOST, DATA_DIR)
          .keys(MAX_MESSAGE, MAX_CONNECTIONS, MAX_CONNECTIONS_PER_PEER)
          .keys(MAX_HTTP_CONNECTIONS, MAX_HTTP_CONNECTIONS_PER_PEER)
          .keys(
              SERVER_TIMEOUT,
              SERVER_INTERVAL,
              SERVER_FORGET,
              SERVERS_MAX,
              SILENT_ENABLED,
              SILENT_DURATION)
          .keys(LEASE, APPLICATIONS_MAX, ENDED_TIME, ENDED_MAX, SHUFFLES_REMEMBERED)
          .keys(RulesConfig.KEYS)
          .keys(STRATEGY, HOST_RULE, NODES_MAX, STORAGE_USED_MAX)
          .keys(EXCLUDE_FILE, EXCLUDE_INTERVAL)
          .keys(SecurityConfig.KEYS)
          .keys(SecurityConfig.TOKEN_LIFETIME)
          .ignoredIn(CoordinatorConfig.class, "uniffle-keys.txt")
          .rule(set -> problem(set, CoordinatorConfig::servers))
          .rule(set -> problem(set, CoordinatorConfig::assignment))
          .rule(set -> problem(set, RulesConfig::from))
          .build();

  public static CoordinatorConfig from(ConfigSet set) {
    return new CoordinatorConfig(
        set.get(HOST),
        set.get(RPC_PORT),
        set.get(HTTP_PORT),
        set.find(DATA_DIR).map(CoordinatorConfig::localPath),
        Math.toIntExact(set.get(MAX_MESSAGE)),
        set.get(MAX_CONNECTIONS),
        set.get(MAX_CONNECTIONS_PER_PEER),
        set.get(MAX_HTTP_CONNECTIONS),
        set.get(MAX_HTTP_CONNECTIONS_PER_PEER),
        servers(set),
        new ApplicationPolicy(
            set.get(LEASE),
            set.get(APPLICATIONS_MAX),
            set.get(ENDED_TIME),
            set.get(ENDED_MAX),
            set.get(SHUFFLES_REMEMBERED)),
        assignment(set),
        set.find(EXCLUDE_FILE).map(CoordinatorConfig::localPath),
        set.get(EXCLUDE_INTERVAL),
        RulesConfig.from(set),
        SecurityConfig.from(set, set.get(SecurityConfig.TOKEN_LIFETIME)));
  }

  /** The address to bind for a port. */
  InetSocketAddress address(int port) {
    return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
  }

  private static ServerPolicy servers(ConfigSet set) {
    return new ServerPolicy(
        set.get(SERVER_TIMEOUT),
        set.get(SERVER_INTERVAL),
        set.get(SERVER_FORGET),
        set.get(SERVERS_MAX),
        set.get(SILENT_ENABLED) ? set.get(SILENT_DURATION) : 0);
  }

  private static AssignmentPolicy assignment(ConfigSet set) {
    return new AssignmentPolicy(
        set.get(STRATEGY), set.get(HOST_RULE), set.get(NODES_MAX), set.get(STORAGE_USED_MAX) / 100);
  }

  private static Optional<String> problem(ConfigSet set, Consumer<ConfigSet> part) {
    try {
      part.accept(set);
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(e.getMessage());
    }
  }

  static boolean isLocalPath(String path) {
    return !path.isEmpty() && (path.startsWith("file://") || !path.contains("://"));
  }

  static Path localPath(String path) {
    try {
      return Path.of(path.startsWith("file://") ? path.substring("file://".length()) : path);
    } catch (InvalidPathException e) {
      throw new ConfigException("\"" + path + "\" is not a path: " + e.getReason());
    }
  }

  private static long seconds(int count) {
    return Duration.ofSeconds(count).toMillis();
  }
}
