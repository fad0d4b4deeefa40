package io.sluice.coordinator.api;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.coordinator.cluster.Servers;
import io.sluice.proto.ConfigurationChange;
import io.sluice.proto.ConfigurationEntry;
import io.sluice.proto.DecommissionReply;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.GetConfigurationReply;
import io.sluice.proto.GetConfigurationRequest;
import io.sluice.proto.GetThreadsReply;
import io.sluice.proto.GetThreadsRequest;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ReloadConfigurationReply;
import io.sluice.proto.ReloadConfigurationRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.Status;
import io.sluice.proto.ThreadStack;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A shuffle server that only accepts admin operations. */
final class FakeServer extends ShuffleServerControlGrpc.ShuffleServerControlImplBase
    implements AutoCloseable {
  private final List<DecommissionRequest> wishes = Collections.synchronizedList(new ArrayList<>());
  private final Server server;

  FakeServer() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(this)
            .build()
            .start();
  }

  String name() {
    return "127.0.0.1:" + server.getPort();
  }

  HeartbeatRequest heartbeat() {
    return HeartbeatRequest.newBuilder()
        .setServer(
            ServerId.newBuilder()
                .setName(name())
                .setHost("127.0.0.1")
                .setRpcPort(server.getPort())
                .setEpoch(1))
        .setState(ServerState.ACTIVE)
        .setLoad(Servers.idleLoad())
        .build();
  }

  List<DecommissionRequest> wishes() {
    return List.copyOf(wishes);
  }

  @Override
  public void decommission(
      DecommissionRequest request, StreamObserver<DecommissionReply> observer) {
    wishes.add(request);
    DecommissionReply.Builder reply = DecommissionReply.newBuilder();
    if (request.getDeadlineMs() == 13) {
      reply.setStatus(Status.DRAINING).setMessage("the server is already stopping");
    }
    observer.onNext(reply.build());
    observer.onCompleted();
  }

  @Override
  public void reloadConfiguration(
      ReloadConfigurationRequest request, StreamObserver<ReloadConfigurationReply> observer) {
    observer.onNext(
        ReloadConfigurationReply.newBuilder()
            .addApplied(ConfigurationChange.newBuilder().setKey("rss.a").setFrom("1").setTo("2"))
            .build());
    observer.onCompleted();
  }

  @Override
  public void getConfiguration(
      GetConfigurationRequest request, StreamObserver<GetConfigurationReply> observer) {
    observer.onNext(
        GetConfigurationReply.newBuilder()
            .addEntries(
                ConfigurationEntry.newBuilder()
                    .setKey("rss.a")
                    .setValue("1")
                    .setSource("server.conf:3"))
            .build());
    observer.onCompleted();
  }

  @Override
  public void getThreads(GetThreadsRequest request, StreamObserver<GetThreadsReply> observer) {
    observer.onNext(
        GetThreadsReply.newBuilder()
            .addThreads(
                ThreadStack.newBuilder()
                    .setName("spill-disk-0")
                    .setId(7)
                    .setState("BLOCKED")
                    .setCpuNanos(-1)
                    .setWaitsFor("a lock")
                    .setOwner("merge-0")
                    .addFrames("io.sluice.Spiller.write(Spiller.java:1)"))
            .setOmitted(2)
            .build());
    observer.onCompleted();
  }

  @Override
  public void close() throws InterruptedException {
    server.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
  }
}
