package io.sluice.cli.control;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
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
  private static final long CLOSE_TIMEOUT_SECONDS = 2;

  /** Maximum reply length: enough for a list of 10,000 servers with their disks. */
  private static final int MAX_REPLY_LENGTH = 64 << 20;

  private final HostPort peer;
  private final String role;
  private final long timeoutMs;
  private final ManagedChannel channel;

  /** Reason why the credentials of the user are not usable, or null. */
  private final String identityProblem;

  /**
   * Creates a channel with the identity from the environment. Connects at the first call.
   *
   * @param role expected role of the peer, for messages, such as {@code coordinator}
   */
  public ControlChannel(String role, HostPort peer, long timeoutMs) {
    this(role, peer, timeoutMs, ControlIdentity.ofEnvironment());
  }

  /** Creates a channel to a coordinator, or to a server as a user. Connects at the first call. */
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
    this.identityProblem = identity.problem().orElse(null);
    this.channel =
        identity
            .tls()
            .channel(peer.host(), peer.port())
            .maxInboundMessageSize(MAX_REPLY_LENGTH)
            .intercept(proofs)
            .build();
  }

  /**
   * Creates a channel to a server, with the application token of {@code identity} or, without one,
   * as its user.
   */
  public static ControlChannel ofServer(HostPort peer, long timeoutMs, ControlIdentity identity) {
    return new ControlChannel("shuffle server", peer, timeoutMs, identity, identity.serverProofs());
  }

  /** Connects with the identity from the environment. */
  public static ControlChannel firstCoordinator(List<HostPort> quorum, long timeoutMs)
      throws IOException {
    return firstCoordinator(quorum, timeoutMs, ControlIdentity.ofEnvironment());
  }

  /**
   * Returns owned a channel to the first coordinator that answers.
   *
   * @throws IOException if none answers, with the reason of each
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
      } catch (IOException noAnswer) {
        candidate.close();
        reasons.add(noAnswer);
      }
    }
    throw CommandFailure.ofAll(reasons);
  }

  public HostPort peer() {
    return peer;
  }

  /** Calls the coordinator. */
  public <R> R coordinator(Function<CoordinatorBlockingStub, R> call) throws IOException {
    return call(CoordinatorGrpc.newBlockingStub(channel), call);
  }

  /** Calls the REST API of the coordinator. */
  public <R> R admin(Function<AdminBlockingStub, R> call) throws IOException {
    return call(AdminGrpc.newBlockingStub(channel), call);
  }

  /** Calls the shuffle server. */
  public <R> R server(Function<ShuffleServerControlBlockingStub, R> call) throws IOException {
    return call(ShuffleServerControlGrpc.newBlockingStub(channel), call);
  }

  private <S extends AbstractBlockingStub<S>, R> R call(S stub, Function<S, R> call)
      throws IOException {
    if (identityProblem != null) {
      throw new IOException(identityProblem);
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
      case UNAVAILABLE -> "is not reachable: " + rootMessage(failure);
      case DEADLINE_EXCEEDED -> "did not answer within " + timeoutMs + " ms";
      case PERMISSION_DENIED -> "denied the call: " + status.getDescription();
      case UNAUTHENTICATED -> "failed authentication: " + status.getDescription();
      case UNIMPLEMENTED ->
          "does not implement the call; check that the address is that of a " + role;
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
   * Throws if the status is not OK.
   *
   * @param operation requested operation, for the message
   */
  public void requireOk(String operation, Status status, String message) throws IOException {
    if (status != Status.OK) {
      throw new IOException(
          role + " " + peer + " refused to " + operation + ": " + status + " " + message);
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    try {
      if (!channel.awaitTermination(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        return; // Its threads are daemons and do not keep the JVM running.
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
