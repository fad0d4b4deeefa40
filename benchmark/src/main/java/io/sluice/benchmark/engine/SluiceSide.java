package io.sluice.benchmark.engine;

import io.sluice.demo.staging.ClusterSize;
import io.sluice.demo.staging.Staging;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Settings of Sluice in a benchmark.
 *
 * @param bufferCapacity memory of each server for shuffle data
 * @param conf configuration of the jobs that use Sluice
 * @param serverConf additional configuration keys of each server
 * @param serverJavaOptions additional JVM options of each server
 */
record SluiceSide(
    int servers,
    String bufferCapacity,
    Map<String, String> conf,
    Map<String, String> serverConf,
    List<String> serverJavaOptions) {

  /** Starts a coordinator and servers; returns when all servers are active. */
  void start(Staging staging) throws IOException, InterruptedException {
    start(staging, 1);
  }

  /** As the other, with a number of coordinators. */
  void start(Staging staging, int coordinators) throws IOException, InterruptedException {
    List<String> serverOptions = new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC"));
    serverOptions.addAll(serverJavaOptions);
    staging.startCluster(
        new ClusterSize(coordinators, servers),
        "GRPC_NETTY",
        bufferCapacity,
        serverOptions,
        serverConf);
  }
}
