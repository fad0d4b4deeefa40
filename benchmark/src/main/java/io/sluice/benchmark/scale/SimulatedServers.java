package io.sluice.benchmark.scale;

import com.google.common.util.concurrent.ListenableFuture;
import io.sluice.proto.CoordinatorGrpc.CoordinatorFutureStub;
import io.sluice.proto.DiskState;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Servers that only send heartbeats, with the applications that the coordinator has assigned to
 * them. Thread-safe.
 */
final class SimulatedServers {
  private static final int PORT = 19_997;
  private static final long GIB = 1L << 30;
  private static final long CAPACITY = 1000 * GIB;

  private final List<CoordinatorFutureStub> connections;
  private final List<ServerId> servers = new ArrayList<>();
  private final Map<String, Integer> indexes = new HashMap<>();
  private final List<Set<String>> applications = new ArrayList<>();

  /**
   * @param connections borrowed, shared by the servers round-robin
   * @param epoch epoch of all servers
   */
  SimulatedServers(List<CoordinatorFutureStub> connections, int count, long epoch) {
    this.connections = connections;
    for (int i = 0; i < count; i++) {
      String host = "server-" + i + ".example";
      String name = host + ":" + PORT;
      servers.add(
          ServerId.newBuilder()
              .setName(name)
              .setHost(host)
              .setRpcPort(PORT)
              .setNettyPort(PORT + 1)
              .setEpoch(epoch)
              .build());
      indexes.put(name, i);
      applications.add(ConcurrentHashMap.newKeySet());
    }
  }

  int count() {
    return servers.size();
  }

  /** Gives data of an application to a server; unknown names are a bug. */
  void assign(String server, String application) {
    applications.get(indexes.get(server)).add(application);
  }

  /** Number of pairs of server and application. */
  long assignments() {
    return applications.stream().mapToLong(Set::size).sum();
  }

  /** Sends a heartbeat of a server; numbers beyond the last server begin again. */
  ListenableFuture<HeartbeatReply> heartbeat(int index) {
    int server = index % servers.size();
    return connections.get(server % connections.size()).heartbeat(request(server));
  }

  private HeartbeatRequest request(int server) {
    return HeartbeatRequest.newBuilder()
        .setServer(servers.get(server))
        .setState(ServerState.ACTIVE)
        .setLoad(
            ServerLoad.newBuilder()
                .setMemoryCapacityBytes(16 * GIB)
                .setMemoryUsedBytes(GIB)
                .setStoredBytes(applications.get(server).size() * GIB)
                .addDisks(
                    DiskState.newBuilder()
                        .setPath("/data/1")
                        .setKind("SSD")
                        .setCapacityBytes(CAPACITY)
                        .setFreeBytes(CAPACITY / 2)
                        .setHealthy(true)
                        .setHealth(DiskState.Health.HEALTHY)))
        .addAllApplications(applications.get(server))
        .build();
  }
}
