package io.sluice.common.rpc;

import io.grpc.MethodDescriptor;
import io.sluice.proto.AdminGrpc;
import io.sluice.proto.AuthenticationGrpc;
import io.sluice.proto.ConsensusGrpc;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ShuffleServerControlGrpc;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Maximum request length of each control call, in bytes: enough for the largest legitimate request,
 * with room for new fields. docs/protocol.md has the same table. Immutable.
 */
public final class CallLimits {
  /** Requests without a field, and unknown calls. */
  static final int EMPTY = 1 << 10;

  /**
   * Requests with a few names of at most 256 bytes each, or with 13,000 numbers. Also REST requests
   * with a path and a body of at most 16 KiB.
   */
  static final int NAMES = 64 << 10;

  /**
   * Requests with a list: 10,000 server names of 100 bytes, or 500 moves of at most 1,100 bytes.
   */
  static final int LIST = 1 << 20;

  /** Heartbeats: about 40 bytes for each application with data on the server. */
  static final int HEARTBEAT = 8 << 20;

  /** Between coordinators: the longest call with its envelope, or 8 MiB of log entries. */
  static final int CONSENSUS = HEARTBEAT + LIST;

  private static final Map<String, Integer> CONTROL =
      Map.ofEntries(
          row(CoordinatorGrpc.getHeartbeatMethod(), HEARTBEAT),
          row(AuthenticationGrpc.getChallengeMethod(), EMPTY),
          row(CoordinatorGrpc.getRegisterApplicationMethod(), LIST),
          row(CoordinatorGrpc.getRenewLeaseMethod(), LIST),
          row(CoordinatorGrpc.getUnregisterApplicationMethod(), NAMES),
          row(CoordinatorGrpc.getRegisterShuffleMethod(), LIST),
          row(CoordinatorGrpc.getFindMoveTargetMethod(), LIST),
          row(CoordinatorGrpc.getClientConfigurationMethod(), NAMES),
          row(CoordinatorGrpc.getListServersMethod(), EMPTY),
          row(CoordinatorGrpc.getListApplicationsMethod(), EMPTY),
          row(AdminGrpc.getCallMethod(), NAMES),
          row(AdminGrpc.getBackupMethod(), EMPTY),
          row(ConsensusGrpc.getReplicateMethod(), CONSENSUS),
          row(ConsensusGrpc.getForwardMethod(), CONSENSUS),
          row(ConsensusGrpc.getMembershipMethod(), EMPTY),
          row(ShuffleServerControlGrpc.getUnregisterShufflesMethod(), NAMES),
          row(ShuffleServerControlGrpc.getUnregisterShuffleApplicationMethod(), NAMES),
          row(ShuffleServerControlGrpc.getDecommissionMethod(), EMPTY),
          row(ShuffleServerControlGrpc.getReloadConfigurationMethod(), EMPTY),
          row(ShuffleServerControlGrpc.getGetConfigurationMethod(), EMPTY),
          row(ShuffleServerControlGrpc.getGetThreadsMethod(), EMPTY),
          row(ShuffleServerControlGrpc.getGetStatusMethod(), EMPTY));

  private final Map<String, Integer> rows;
  private final Set<String> streams;

  private CallLimits(Map<String, Integer> rows, Set<String> streams) {
    this.rows = Map.copyOf(rows);
    this.streams = Set.copyOf(streams);
  }

  private static Map.Entry<String, Integer> row(MethodDescriptor<?, ?> method, int bytes) {
    return Map.entry(method.getFullMethodName(), bytes);
  }

  /** Limits of the control calls. */
  public static CallLimits control() {
    return new CallLimits(CONTROL, Set.of());
  }

  /** These limits with one more method. */
  public CallLimits with(MethodDescriptor<?, ?> method, int bytes) {
    Map<String, Integer> more = new HashMap<>(rows);
    more.put(method.getFullMethodName(), bytes);
    Set<String> moreStreams = new HashSet<>(streams);
    if (method.getType() != MethodDescriptor.MethodType.UNARY) {
      moreStreams.add(method.getFullMethodName());
    }
    return new CallLimits(more, moreStreams);
  }

  /**
   * Maximum request length of a method.
   *
   * @param method full name, {@code package.Service/Method}
   */
  int of(String method) {
    return rows.getOrDefault(method, EMPTY);
  }

  /**
   * Whether a method is a stream, which has no time limit.
   *
   * @param method full name, {@code package.Service/Method}
   */
  boolean isStream(String method) {
    return streams.contains(method);
  }

  /** Maximum request length of all methods. */
  int largest() {
    return rows.values().stream().mapToInt(Integer::intValue).max().orElse(EMPTY);
  }
}
