package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import io.sluice.proto.ReplicationCall;
import io.sluice.proto.ReplicationReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.ExitUtils;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server of Ratis for the one group of coordinators. Thread-safe. */
final class RatisGroup implements SharedLog.Replication, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RatisGroup.class);

  private static final RaftGroupId GROUP =
      RaftGroupId.valueOf(
          UUID.nameUUIDFromBytes("sluice-coordinators".getBytes(StandardCharsets.UTF_8)));

  /** A follower that hears nothing for this time, or up to twice of it, starts an election. */
  private static final long ELECTION_TIMEOUT_MS = 1_000;

  private static final long REQUEST_TIMEOUT_MS = 3_000;
  private static final long MEMBERSHIP_TIMEOUT_MS = 9_000;
  private static final int SNAPSHOT_PART_BYTES = 1 << 20;
  private static final int SEGMENT_BYTES = 8 << 20;

  private final RaftServer server;
  private final ReplicationRpc.Network network;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  private RatisGroup(RaftServer server, ReplicationRpc.Network network) {
    this.server = server;
    this.network = network;
  }

  /** Whether a directory has a part of a log. */
  static boolean exists(Path directory) {
    return Files.exists(
        directory.resolve(GROUP.getUuid().toString()).resolve("current").resolve("raft-meta"));
  }

  /**
   * Makes a server, which is not started.
   *
   * @param isNew whether the directory is empty
   * @param members the first members of a new group; ignored if the directory has a log
   */
  static RatisGroup of(
      String self,
      List<String> members,
      boolean isNew,
      Path directory,
      SharedLogMachine machine,
      ReplicationRpc.Network network)
      throws IOException {
    ExitUtils.disableSystemExit();
    RaftServer server =
        RaftServer.newBuilder()
            .setServerId(RaftPeerId.valueOf(self))
            .setGroup(RaftGroup.valueOf(GROUP, members.stream().map(RatisGroup::peer).toList()))
            .setOption(isNew ? RaftStorage.StartupOption.FORMAT : RaftStorage.StartupOption.RECOVER)
            .setStateMachine(machine)
            .setProperties(properties(directory))
            .setParameters(network.parameters())
            .build();
    return new RatisGroup(server, network);
  }

  private static RaftPeer peer(String coordinator) {
    return RaftPeer.newBuilder().setId(coordinator).setAddress(coordinator).build();
  }

  private static RaftProperties properties(Path directory) {
    RaftProperties properties = new RaftProperties();
    properties.set(RaftConfigKeys.Rpc.TYPE_KEY, ReplicationRpc.Type.class.getName());
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(ELECTION_TIMEOUT_MS));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(2 * ELECTION_TIMEOUT_MS));
    RaftServerConfigKeys.Rpc.setRequestTimeout(properties, millis(ELECTION_TIMEOUT_MS));
    RaftServerConfigKeys.Rpc.setSleepTime(properties, millis(ELECTION_TIMEOUT_MS / 5));
    // A process that was suspended follows after that, however long it took.
    RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(3650, TimeUnit.DAYS));
    SizeInBytes entry = SizeInBytes.valueOf(SharedLog.MAX_ENTRY_BYTES + (64 << 10));
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, entry);
    RaftServerConfigKeys.Log.setWriteBufferSize(
        properties, SizeInBytes.valueOf(entry.getSize() + (64 << 10)));
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf(2L * SEGMENT_BYTES));
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf(1 << 20));
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(
        properties, SizeInBytes.valueOf(SNAPSHOT_PART_BYTES));
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, 2);
    return properties;
  }

  private static TimeDuration millis(long milliseconds) {
    return TimeDuration.valueOf(milliseconds, TimeUnit.MILLISECONDS);
  }

  /** Reads the log, and starts to follow. */
  void start() throws IOException {
    server.start();
    server.getDivision(GROUP);
  }

  /** Waits until the files of the log are closed, also if another thread closes them. */
  @Override
  public synchronized void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private Optional<RaftServer.Division> division() {
    try {
      return Optional.of(server.getDivision(GROUP));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Addresses of all members; empty: not known yet. */
  List<String> members() {
    return division().stream()
        .map(division -> division.getRaftConf().getAllPeers())
        .flatMap(Collection::stream)
        .map(peer -> peer.getId().toString())
        .sorted()
        .toList();
  }

  /** Address of the leader, if this member knows one. */
  Optional<String> leader() {
    return division().map(division -> division.getInfo().getLeaderId()).map(RaftPeerId::toString);
  }

  /**
   * Whether this member has applied an entry of the current leader, and so all entries of earlier
   * ones, all entries that the leader has reported as committed, and all of its log: a repeated
   * message of the leader may report an earlier commit than that of the entries in it.
   */
  boolean isUpToDate() {
    return division().filter(RatisGroup::isUpToDate).isPresent();
  }

  private static boolean isUpToDate(RaftServer.Division division) {
    DivisionInfo info = division.getInfo();
    RaftPeerId leader = info.getLeaderId();
    TermIndex applied = division.getStateMachine().getLastAppliedTermIndex();
    TermIndex last = division.getRaftLog().getLastEntryTermIndex();
    return applied != null
        && applied.getTerm() == info.getCurrentTerm()
        && (last == null || applied.getIndex() >= last.getIndex())
        && division.getCommitInfos().stream()
            .filter(commit -> RaftPeerId.valueOf(commit.getServer().getId()).equals(leader))
            .anyMatch(commit -> applied.getIndex() >= commit.getCommitIndex());
  }

  @Override
  public long leaderTerm() {
    return division()
        .map(RaftServer.Division::getInfo)
        .filter(DivisionInfo::isLeaderReady)
        .map(DivisionInfo::getCurrentTerm)
        .orElse(-1L);
  }

  /**
   * A member that accepted an append starts no election for {@link #ELECTION_TIMEOUT_MS}, so that
   * no other leader exists while a majority has accepted one within that time.
   */
  @Override
  public boolean isFollowed() {
    List<String> members = members();
    String self = server.getId().toString();
    long following =
        members.stream()
            .filter(member -> member.equals(self) || network.followed(member, ELECTION_TIMEOUT_MS))
            .count();
    return following > members.size() / 2;
  }

  @Override
  public CompletableFuture<?> propose(ByteString entry) {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(server.getId())
            .setGroupId(GROUP)
            .setCallId(calls.incrementAndGet())
            .setMessage(
                Message.valueOf(UnsafeByteOperations.unsafeWrap(entry.asReadOnlyByteBuffer())))
            .setType(RaftClientRequest.writeRequestType())
            .build();
    try {
      return server.submitClientRequestAsync(request).thenApply(RatisGroup::checked);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static RaftClientReply checked(RaftClientReply reply) {
    if (!reply.isSuccess()) {
      throw new IllegalStateException(String.valueOf(reply.getException()));
    }
    return reply;
  }

  @Override
  public void resign() {
    // Without a new leader in the request, this one steps down.
    TransferLeadershipRequest request =
        new TransferLeadershipRequest(
            client, server.getId(), GROUP, calls.incrementAndGet(), null, REQUEST_TIMEOUT_MS);
    try {
      CompletableFuture<RaftClientReply> unused = server.transferLeadershipAsync(request);
    } catch (IOException e) {
      log.debug("leader cannot resign", e);
    }
  }

  @Override
  public void purge() {
    SnapshotManagementRequest request =
        SnapshotManagementRequest.newCreate(
            client, server.getId(), GROUP, calls.incrementAndGet(), REQUEST_TIMEOUT_MS);
    CompletableFuture<RaftClientReply> unused = server.snapshotManagementAsync(request);
  }

  @Override
  public void leave() {
    // The end of the server waits for the thread that reports a failure.
    Thread thread = new Thread(this::close, "coordinator-leaves");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Replaces the members. Only the leader can do this; a new member first gets the log.
   *
   * @throws IOException if that does not succeed in time; the message is one line
   */
  void setMembers(List<String> members) throws IOException {
    try {
      RaftClientReply reply =
          server
              .setConfigurationAsync(
                  new SetConfigurationRequest(
                      client,
                      server.getId(),
                      GROUP,
                      calls.incrementAndGet(),
                      members.stream().map(RatisGroup::peer).toList()))
              .get(MEMBERSHIP_TIMEOUT_MS, TimeUnit.MILLISECONDS);
      if (!reply.isSuccess()) {
        throw new IOException(String.valueOf(reply.getException()));
      }
    } catch (ExecutionException e) {
      throw new IOException(String.valueOf(e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException("not complete within " + MEMBERSHIP_TIMEOUT_MS + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Handles a message of another member. Blocks on disk I/O. */
  ReplicationReply replicate(ReplicationCall call) throws IOException {
    byte[] message = call.getMessage().toByteArray();
    byte[] reply =
        switch (call.getKind()) {
          case REQUEST_VOTE ->
              server.requestVote(RequestVoteRequestProto.parseFrom(message)).toByteArray();
          case APPEND_ENTRIES ->
              server.appendEntries(AppendEntriesRequestProto.parseFrom(message)).toByteArray();
          case INSTALL_SNAPSHOT ->
              server.installSnapshot(InstallSnapshotRequestProto.parseFrom(message)).toByteArray();
          case START_ELECTION ->
              server
                  .startLeaderElection(StartLeaderElectionRequestProto.parseFrom(message))
                  .toByteArray();
          case KIND_UNSPECIFIED, UNRECOGNIZED ->
              throw new IOException("kind: expected 1 to 4, found " + call.getKindValue());
        };
    return ReplicationReply.newBuilder().setMessage(ByteString.copyFrom(reply)).build();
  }
}
