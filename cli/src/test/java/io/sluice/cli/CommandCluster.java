package io.sluice.cli;

import io.sluice.common.config.ConfigSet;
import io.sluice.coordinator.CoordinatorConfig;
import io.sluice.coordinator.CoordinatorProcess;
import io.sluice.server.ServerConfig;
import io.sluice.server.ShuffleServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A coordinator and two servers in this JVM, and the commands that a test runs for them. */
final class CommandCluster implements AutoCloseable {
  private final Path directory;
  private final Map<String, String> coordinatorSettings = new ConcurrentHashMap<>();
  private final Map<String, String> serverSettings = new ConcurrentHashMap<>();
  private final List<ShuffleServerProcess> servers = new ArrayList<>();
  private final CoordinatorProcess coordinator;

  CommandCluster(Path directory) throws IOException {
    this.directory = directory;
    coordinatorSettings.putAll(
        Map.of(
            "rss.coordinator.host", "127.0.0.1",
            "rss.rpc.server.port", "0",
            "rss.jetty.http.port", "0"));
    Supplier<ConfigSet> source = () -> ConfigSet.of(CoordinatorConfig.SCHEMA, coordinatorSettings);
    coordinator = CoordinatorProcess.start(source.get(), source);
    boolean started = false;
    try {
      servers.add(startServer("disk0", serverSettings));
      servers.add(startServer("disk1", serverSettings));
      awaitActiveServers();
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  /**
   * Starts another server, which the caller closes.
   *
   * @param more settings beside those of a test; read again at each reload
   */
  ShuffleServerProcess startServer(String disk, Map<String, String> more) throws IOException {
    Supplier<ConfigSet> source =
        () -> {
          Map<String, String> all = new HashMap<>(more);
          all.putAll(
              Map.of(
                  "rss.coordinator.quorum", quorum(),
                  "rss.server.host", "127.0.0.1",
                  "rss.rpc.server.port", "0",
                  "rss.server.netty.port", "0",
                  "rss.jetty.http.port", "0",
                  "rss.storage.basePath", directory.resolve(disk).toString(),
                  "rss.server.buffer.capacity", "16m"));
          return ConfigSet.of(ServerConfig.SCHEMA, all);
        };
    return ShuffleServerProcess.start(source.get(), source);
  }

  void awaitActiveServers() {
    while (run("admin", "servers").out().lines().filter(line -> line.contains("ACTIVE")).count()
        < servers.size()) {
      Thread.onSpinWait();
    }
  }

  /** Runs a command with the option {@code --coordinator}. */
  CliRun run(String... command) {
    return CliRun.of(
        Stream.concat(Stream.of(command), Stream.of("--coordinator", quorum()))
            .toArray(String[]::new));
  }

  /** Name and port of the coordinator. */
  String quorum() {
    return "127.0.0.1:" + coordinator.rpcPort();
  }

  ShuffleServerProcess server(int index) {
    return servers.get(index);
  }

  String serverName(int index) {
    return name(servers.get(index));
  }

  static String name(ShuffleServerProcess server) {
    return "127.0.0.1:" + server.rpcPort();
  }

  /** The directory of a server's disk. */
  Path disk(int index) {
    return directory.resolve("disk" + index);
  }

  /** Settings that the coordinator reads at its next reload. */
  Map<String, String> coordinatorSettings() {
    return coordinatorSettings;
  }

  /** Settings that the servers read at their next reload. */
  Map<String, String> serverSettings() {
    return serverSettings;
  }

  @Override
  public void close() {
    servers.forEach(ShuffleServerProcess::close);
    coordinator.close();
  }
}
