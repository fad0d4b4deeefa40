package io.sluice.server.cluster;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.config.HostPort;
import io.sluice.proto.ApplicationLease;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.Revocation;
import io.sluice.proto.Status;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A coordinator on a loopback port that records heartbeats and sends configured replies.
 * Applications that are not configured are UNKNOWN.
 */
public final class FakeCoordinator implements AutoCloseable {
  private static final long DEADLINE_S = 60;

  private final Map<String, ApplicationLease.State> states = new ConcurrentHashMap<>();
  private final BlockingQueue<HeartbeatRequest> heartbeats = new LinkedBlockingQueue<>();
  private final Server server;
  private final HostPort address;
  private volatile Status status = Status.OK;
  private volatile Revoked revocations = new Revoked(0, List.of());
  private volatile long leaseMs = 60_000;
  private volatile long intervalMs;

  private record Revoked(long revision, List<Revocation> list) {}

  /**
   * @param port 0: any
   */
  public FakeCoordinator(int port) throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port))
            .addService(new Service())
            .build()
            .start();
    address = new HostPort("127.0.0.1", server.getPort());
  }

  public HostPort address() {
    return address;
  }

  public void setState(String application, ApplicationLease.State state) {
    states.put(application, state);
  }

  /** Sets the list of revocations of every reply. */
  public void setRevocations(long revision, Revocation... list) {
    revocations = new Revoked(revision, List.of(list));
  }

  public void refuse(Status refusal) {
    status = refusal;
  }

  /** Sets lease and interval of every reply; an interval of 0 sets none. */
  public void grant(long grantedLeaseMs, long askedIntervalMs) {
    leaseMs = grantedLeaseMs;
    intervalMs = askedIntervalMs;
  }

  /** Takes the next recorded heartbeat; fails if none arrives. */
  public HeartbeatRequest next() throws InterruptedException {
    HeartbeatRequest request = heartbeats.poll(DEADLINE_S, TimeUnit.SECONDS);
    if (request == null) {
      throw new AssertionError("no heartbeat within " + DEADLINE_S + " s");
    }
    return request;
  }

  /** Takes the next recorded heartbeat; empty if none arrives within the timeout. */
  public Optional<HeartbeatRequest> nextWithin(long ms) throws InterruptedException {
    return Optional.ofNullable(heartbeats.poll(ms, TimeUnit.MILLISECONDS));
  }

  @Override
  public void close() {
    server.shutdownNow();
    try {
      if (!server.awaitTermination(DEADLINE_S, TimeUnit.SECONDS)) {
        throw new AssertionError("the fake coordinator did not stop");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Service extends CoordinatorGrpc.CoordinatorImplBase {
    @Override
    public void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatReply> replies) {
      HeartbeatReply.Builder reply =
          HeartbeatReply.newBuilder()
              .setStatus(status)
              .setMessage(status == Status.OK ? "" : "injected refusal")
              .setLeaseMs(leaseMs)
              .setHeartbeatIntervalMs(intervalMs);
      for (String application : request.getApplicationsList()) {
        reply.addLeases(
            ApplicationLease.newBuilder()
                .setApplication(application)
                .setState(states.getOrDefault(application, ApplicationLease.State.UNKNOWN))
                .setRemainingMs(leaseMs));
      }
      reply.setRevocationsRevision(revocations.revision()).addAllRevocations(revocations.list());
      heartbeats.add(request);
      replies.onNext(reply.build());
      replies.onCompleted();
    }
  }
}
