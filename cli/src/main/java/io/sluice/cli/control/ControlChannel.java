package io.sluice.cli.control;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.AbstractBlockingStub;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.CallFailure;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.AdminGrpc.AdminBlockingStub;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.ShuffleServerControlGrpc.ShuffleServerControlBlockingStub;
import io.sluice.proto.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A connection for control calls to one coordinator or server. Thread-safe. */
public final class ControlChannel implements AutoCloseable {
  private static final long CLOSE_PATIENCE_SECONDS = 2;

  /** A list of ten thousand servers with all their disks. */
  private static final int MAX_REPLY_LENGTH = 64 << 20;

  private final HostPort peer;
  private final String role;
  private final long timeoutMs;
  private final ManagedChannel channel;

  /** Why this user cannot prove who it is, or null. */
  private final String unprovable;

  /**
   * As the environment says. Connects at the first call.
   *
   * @param role what the peer should be, for messages: {@code coordinator}
   */
  public ControlChannel(String role, HostPort peer, long timeoutMs) {
    this(role, peer, timeoutMs, ControlIdentity.ofEnvironment());
  }

  /** To a coordinator, or to a server as a user. Connects at the first call. */
  public ControlChannel(String role, HostPort peer, long timeoutMs, ControlIdentity identity) {
    this(role, peer, timeoutMs, identity, identity.userProofs());
  }

  private ControlChannel(
      String role,
      HostPort peer,
      long timeoutMs,
      ControlIdentity identity,
      List<ClientInterceptor> proofs) {
    this.role = role;
    this.peer = peer;
    this.timeoutMs = timeoutMs;
    this.unprovable = identity.problem().orElse(null);
    this.channel =
        identity
            .tls()
            .secure(NettyChannelBuilder.forAddress(peer.host(), peer.port()))
            .maxInboundMessageSize(MAX_REPLY_LENGTH)
            .intercept(proofs)
            .build();
  }

  /** To a server, as the application that {@code identity} has a token of, or else its user. */
  public static ControlChannel ofServer(HostPort peer, long timeoutMs, ControlIdentity identity) {
    return new ControlChannel("shuffle server", peer, timeoutMs, identity, identity.serverProofs());
  }

  /** As below, as the environment says. */
  public static ControlChannel firstCoordinator(List<HostPort> quorum, long timeoutMs)
      throws IOException {
    return firstCoordinator(quorum, timeoutMs, ControlIdentity.ofEnvironment());
  }

  /**
   * The first of several coordinators that answers. Returns owned.
   *
   * @throws IOException naming each and why it did not
   */
  public static ControlChannel firstCoordinator(
      List<HostPort> quorum, long timeoutMs, ControlIdentity identity) throws IOException {
    List<IOException> reasons = new ArrayList<>();
    for (HostPort coordinator : quorum) {
      ControlChannel candidate =
          new ControlChannel("coordinator", coordinator, timeoutMs, identity);
      try {
        candidate.coordinator(
            stub -> stub.listServers(io.sluice.proto.ListServersRequest.getDefaultInstance()));
        return candidate;
      } catch (IOException silent) {
        candidate.close();
        reasons.add(silent);
      }
    }
    throw CommandFailure.ofAll(reasons);
  }

  public HostPort peer() {
    return peer;
  }

  /** Calls the coordinator at the other end. */
  public <R> R coordinator(Function<CoordinatorBlockingStub, R> call) throws IOException {
    return call(CoordinatorGrpc.newBlockingStub(channel), call);
  }

  /** Calls the REST API of the coordinator at the other end. */
  public <R> R admin(Function<AdminBlockingStub, R> call) throws IOException {
    return call(AdminGrpc.newBlockingStub(channel), call);
  }

  /** Calls the shuffle server at the other end. */
  public <R> R server(Function<ShuffleServerControlBlockingStub, R> call) throws IOException {
    return call(ShuffleServerControlGrpc.newBlockingStub(channel), call);
  }

  private <S extends AbstractBlockingStub<S>, R> R call(S stub, Function<S, R> call)
      throws IOException {
    if (unprovable != null) {
      throw new IOException(unprovable);
    }
    try {
      return call.apply(stub.withDeadlineAfter(timeoutMs, TimeUnit.MILLISECONDS));
    } catch (StatusRuntimeException failure) {
      throw new CommandFailure(
          code(failure.getStatus()), role + " " + peer + " " + reason(failure), failure);
    }
  }

  private static ExitCode code(io.grpc.Status status) {
    return switch (status.getCode()) {
      case PERMISSION_DENIED, UNAUTHENTICATED -> ExitCode.DENIED;
      default -> ExitCode.FAILED;
    };
  }

  private String reason(StatusRuntimeException failure) {
    io.grpc.Status status = failure.getStatus();
    return switch (status.getCode()) {
      case UNAVAILABLE -> "cannot be reached: " + rootMessage(failure);
      case DEADLINE_EXCEEDED -> "did not answer within " + timeoutMs + " ms";
      case PERMISSION_DENIED -> "denies the call: " + status.getDescription();
      case UNAUTHENTICATED -> "failed authentication: " + status.getDescription();
      case UNIMPLEMENTED -> "is not a " + role + ": it does not know the call";
      default -> "failed: " + CallFailure.describe(status);
    };
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getMessage();
  }

  /**
   * Turns a refusal into a failure.
   *
   * @param what what was asked for
   */
  public void demandOk(String what, Status status, String message) throws IOException {
    if (status != Status.OK) {
      throw new IOException(
          role + " " + peer + " refused to " + what + ": " + status + " " + message);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    try {
      if (!channel.awaitTermination(CLOSE_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return; // Its threads are daemons: nothing is kept alive by it.
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
