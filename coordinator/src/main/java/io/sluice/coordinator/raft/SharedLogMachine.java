package io.sluice.coordinator.raft;

import io.sluice.proto.SharedLogEntry;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;

/**
 * Passes what Ratis commits to the {@link SharedLog}, in order. It has no state itself: the state
 * thread applies the records, and gives it the snapshots. Used by the threads of Ratis.
 */
final class SharedLogMachine extends BaseStateMachine {
  /** Receives what was committed, in order. Calls may block while the receiver is behind. */
  interface Receiver {
    void committed(TermIndex at, SharedLogEntry entry);

    void installed(TermIndex at, List<byte[]> snapshot);

    void leading(long term);

    void failed(String reason);
  }

  /** Position of a restored backup. Ratis takes a log whose last term is 0 for an empty one. */
  private static final TermIndex RESTORED = TermIndex.valueOf(1, 1);

  private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
  private final Receiver receiver;

  /** Empty once it is stored. */
  private Optional<List<byte[]>> restored;

  private final BooleanSupplier closing;
  private final Consumer<String> leaders;

  /** Term of the latest configuration entry, which is the first entry of each leader. */
  private volatile long configurationTerm;

  /**
   * @param restored records of a backup, with which a new log begins; empty: it begins empty
   * @param closing whether the process ends the replication
   * @param leaders receives the address of each new leader; must not block
   */
  SharedLogMachine(
      Receiver receiver,
      Optional<List<byte[]>> restored,
      BooleanSupplier closing,
      Consumer<String> leaders) {
    this.receiver = receiver;
    this.restored = restored;
    this.closing = closing;
    this.leaders = leaders;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage raftStorage)
      throws IOException {
    super.initialize(server, group, raftStorage);
    getLifeCycle()
        .startAndTransition(
            () -> {
              storage.init(raftStorage);
              if (restored.isPresent()) {
                // Before this member votes: all members of the new group have it, or none starts.
                store(RESTORED, restored.get());
                restored = Optional.empty();
              }
              install();
            },
            IOException.class);
  }

  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() throws IOException {
    storage.loadLatestSnapshot();
    install();
    if (getLifeCycleState() == LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.STARTING);
      getLifeCycle().transition(LifeCycle.State.RUNNING);
    }
  }

  private void install() throws IOException {
    SingleFileSnapshotInfo snapshot = storage.getLatestSnapshot();
    if (snapshot == null) {
      return;
    }
    Path file = snapshot.getFile().getPath();
    List<byte[]> records = SnapshotFile.read(file);
    receiver.installed(snapshot.getTermIndex(), records);
    setLastAppliedTermIndex(snapshot.getTermIndex());
  }

  /**
   * Stores a snapshot of the state after an entry.
   *
   * @return whether it is new
   */
  boolean store(TermIndex at, List<byte[]> records) throws IOException {
    SnapshotInfo latest = storage.getLatestSnapshot();
    if (latest != null && latest.getIndex() >= at.getIndex()) {
      return false;
    }
    File file = storage.getSnapshotFile(at.getTerm(), at.getIndex());
    SnapshotFile.write(file.toPath(), records);
    storage.updateLatestSnapshot(
        new SingleFileSnapshotInfo(
            new FileInfo(file.toPath(), MD5FileUtil.computeAndSaveMd5ForFile(file)), at));
    return true;
  }

  @Override
  public long takeSnapshot() {
    SnapshotInfo latest = storage.getLatestSnapshot();
    return latest == null ? RaftLog.INVALID_LOG_INDEX : latest.getIndex();
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return storage;
  }

  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    TermIndex at = TermIndex.valueOf(entry);
    try {
      receiver.committed(
          at,
          SharedLogEntry.parseFrom(
              entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer()));
    } catch (IOException e) {
      receiver.failed("entry " + at + " cannot be decoded: " + e.getMessage());
    }
    updateLastAppliedTermIndex(at);
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  @Override
  public void notifyLeaderReady() {
    receiver.leading(configurationTerm);
  }

  @Override
  public void notifyLeaderChanged(RaftGroupMemberId self, RaftPeerId leader) {
    leaders.accept(leader.toString());
  }

  @Override
  public void notifyConfigurationChanged(
      long term, long index, RaftConfigurationProto configuration) {
    configurationTerm = term;
  }

  @Override
  public void notifyServerShutdown(RoleInfoProto role, boolean all) {
    if (!closing.getAsBoolean()) {
      receiver.failed("the replication ended, see the messages before");
    }
  }

  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
    receiver.failed("the log cannot be written: " + cause.getMessage());
  }
}
