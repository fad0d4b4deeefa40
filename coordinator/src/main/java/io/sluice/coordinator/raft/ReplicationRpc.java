package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import io.sluice.proto.ReplicationCall;
import io.sluice.proto.ReplicationCall.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;
import org.apache.ratis.thirdparty.com.google.protobuf.Parser;

/**
 * Sends the messages of Ratis over {@link Peers}. Remembers when each follower last accepted an
 * append, so that a leader knows without a message whether a majority still follows it.
 * Thread-safe.
 */
final class ReplicationRpc implements RaftServerRpc {
  /** Ratis makes the RPC type from its class name, so the network is a parameter. */
  private static final String PARAMETER = "sluice.replication.network";

  private static final InetSocketAddress NO_PORT = InetSocketAddress.createUnresolved("none", 0);

  /** Type of the RPC, for the configuration of Ratis. */
  public static final class Type implements RpcType {
    @Override
    public String name() {
      return Type.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
      Network network = parameters.get(PARAMETER, Network.class);
      return new Factory(this, network);
    }
  }

  /** Network and clock of a group. */
  record Network(Peers peers, LongSupplier nanoTime, Map<String, Long> acceptedAtNanos) {
    Network(Peers peers, LongSupplier nanoTime) {
      this(peers, nanoTime, new ConcurrentHashMap<>());
    }

    Parameters parameters() {
      Parameters parameters = new Parameters();
      parameters.put(PARAMETER, this, Network.class);
      return parameters;
    }

    /** Whether a follower accepted an append that was sent within the last milliseconds. */
    boolean followed(String coordinator, long withinMs) {
      Long at = acceptedAtNanos.get(coordinator);
      return at != null && nanoTime.getAsLong() - at < TimeUnit.MILLISECONDS.toNanos(withinMs);
    }
  }

  private record Factory(RpcType type, Network network) implements ServerFactory {
    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      return new ReplicationRpc(type, network);
    }

    @Override
    public RpcType getRpcType() {
      return type;
    }
  }

  private final RpcType type;
  private final Network network;

  private ReplicationRpc(RpcType type, Network network) {
    this.type = type;
    this.network = network;
  }

  @Override
  public RpcType getRpcType() {
    return type;
  }

  @Override
  public void start() {}

  @Override
  public InetSocketAddress getInetSocketAddress() {
    return NO_PORT;
  }

  @Override
  public void close() {}

  @Override
  public void addRaftPeers(Collection<RaftPeer> peers) {}

  @Override
  public void handleException(RaftPeerId coordinator, Exception e, boolean reconnect) {}

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    return call(
        Kind.REQUEST_VOTE, request.getServerRequest(), request, RequestVoteReplyProto.parser());
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    long sentAtNanos = network.nanoTime().getAsLong();
    AppendEntriesReplyProto reply =
        call(
            Kind.APPEND_ENTRIES,
            request.getServerRequest(),
            request,
            AppendEntriesReplyProto.parser());
    if (reply.getResult() == AppendResult.SUCCESS
        || reply.getResult() == AppendResult.INCONSISTENCY) {
      network.acceptedAtNanos().put(target(request.getServerRequest()), sentAtNanos);
    }
    return reply;
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    return call(
        Kind.INSTALL_SNAPSHOT,
        request.getServerRequest(),
        request,
        InstallSnapshotReplyProto.parser());
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    return call(
        Kind.START_ELECTION,
        request.getServerRequest(),
        request,
        StartLeaderElectionReplyProto.parser());
  }

  private <R> R call(Kind kind, RaftRpcRequestProto head, MessageLite request, Parser<R> parser)
      throws IOException {
    ReplicationCall call =
        ReplicationCall.newBuilder()
            .setKind(kind)
            .setMessage(ByteString.copyFrom(request.toByteArray()))
            .build();
    return parser.parseFrom(
        network.peers().replicate(target(head), call).getMessage().toByteArray());
  }

  private static String target(RaftRpcRequestProto head) {
    return head.getReplyId().toStringUtf8();
  }
}
