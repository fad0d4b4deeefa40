package io.sluice.benchmark.engine;

import io.sluice.demo.staging.Staging;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Sluice's side of a benchmark.
 *
 * @param bufferCapacity of each server
 * @param conf of the jobs of this side only
 * @param serverJavaOptions of each server, behind ours
 */
record SluiceSide(
    int servers, String bufferCapacity, Map<String, String> conf, List<String> serverJavaOptions) {

  /** Starts coordinator and servers; returns when they are there. */
  void start(Staging staging) throws IOException, InterruptedException {
    List<String> serverOptions = new ArrayList<>(List.of("-Xmx512m", "-XX:+UseSerialGC"));
    serverOptions.addAll(serverJavaOptions);
    staging.startCluster(servers, "GRPC_NETTY", bufferCapacity, serverOptions);
  }
}
