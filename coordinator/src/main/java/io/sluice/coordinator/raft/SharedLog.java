package io.sluice.coordinator.raft;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.sluice.coordinator.log.MetadataLog;
import io.sluice.proto.SharedLogEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.server.protocol.TermIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared log, as the state thread uses it.
 *
 * <p>A batch that was appended by {@link #append} is applied by its caller, and every other batch
 * is delivered by {@link #poll}: never both, never neither. If the outcome of an append is unknown,
 * this coordinator ceases to lead. The batch is then delivered if it is committed after all, and
 * only after it was elected again, and all of the log was delivered, does this coordinator append
 * more.
 */
final class SharedLog implements MetadataLog, SharedLogMachine.Receiver {
  /** Maximum size of a batch: far larger than the records of the largest round. */
  static final int MAX_ENTRY_BYTES = 8 << 20;

  private static final Logger log = LoggerFactory.getLogger(SharedLog.class);

  /** Maximum number of deliveries that wait for the state thread; then Ratis waits. */
  private static final int MAX_WAITING = 1000;

  private static final long APPEND_TIMEOUT_MS = 3_000;
  private static final long NOT_LEADING = -1;

  /** The replication of the log. Thread-safe. */
  interface Replication {
    /** Term in which this coordinator leads; negative: it does not, or not yet. */
    long leaderTerm();

    /** Whether a majority of the members follows this leader now. */
    boolean isFollowed();

    /** Appends an entry; completes when it is applied, exceptionally if that is unknown. */
    CompletableFuture<?> propose(ByteString entry);

    /** Ceases to lead; another election follows. */
    void resign();

    /** Deletes entries before the latest snapshot. */
    void purge();

    /** Ends this coordinator's part of the replication, on another thread. */
    void leave();
  }

  private record Waiting(TermIndex at, long leadingTerm, Delivery delivery) {}

  /** A batch of this coordinator; decides once whether the caller or {@link #poll} applies it. */
  private static final class Proposal {
    private static final TermIndex ABANDONED = TermIndex.valueOf(-1, -1);

    private final ByteString name;
    private final AtomicReference<TermIndex> outcome = new AtomicReference<>();

    Proposal(ByteString name) {
      this.name = name;
    }

    boolean applied(TermIndex at) {
      return outcome.compareAndSet(null, at);
    }

    /** Returns the position in the log; null: not applied, and from now on left to others. */
    TermIndex abandon() {
      outcome.compareAndSet(null, ABANDONED);
      return outcome.get() == ABANDONED ? null : outcome.get();
    }
  }

  private final ByteString self;
  private final BlockingQueue<Waiting> deliveries = new ArrayBlockingQueue<>(MAX_WAITING);
  private final AtomicReference<Proposal> proposal = new AtomicReference<>();
  private volatile Replication replication;
  private volatile SharedLogMachine machine;
  private volatile long leadingTerm = NOT_LEADING;
  private volatile String failure;
  private final AtomicLong electionsWon = new AtomicLong();

  // Used by the state thread only.
  private TermIndex applied;
  private long proposals;
  private long recordBytes;
  private long snapshotBytes;

  /**
   * @param process unique name of this process, also among restarts
   */
  SharedLog(String process) {
    this.self = ByteString.copyFromUtf8(process);
  }

  /** Starts to use a replication. Called once, before it delivers anything. */
  void connect(Replication started, SharedLogMachine source) {
    machine = source;
    replication = started;
  }

  /** Reason why this coordinator left the group; null: it did not. */
  String failure() {
    return failure;
  }

  /** Number of elections that this coordinator has won. */
  long electionsWon() {
    return electionsWon.get();
  }

  /** Whether everything that Ratis applied was polled. */
  boolean isDelivered() {
    return deliveries.isEmpty();
  }

  @Override
  public Contents read() {
    return new Contents(List.of(), 0, List.of());
  }

  @Override
  public boolean leads() {
    long term = leadingTerm;
    Replication current = replication;
    return term != NOT_LEADING && current.leaderTerm() == term && current.isFollowed();
  }

  @Override
  public Optional<Delivery> poll() {
    Waiting next = deliveries.poll();
    if (next == null) {
      return Optional.empty();
    }
    if (next.delivery instanceof Delivery.Appended appended) {
      applied = next.at;
      recordBytes += bytes(appended.records());
    } else if (next.delivery instanceof Delivery.Replaced replaced) {
      applied = next.at;
      recordBytes = 0;
      snapshotBytes = bytes(replaced.snapshot());
    } else {
      leadingTerm = next.leadingTerm;
      electionsWon.incrementAndGet();
      log.info("coordinator leads term={}", leadingTerm);
    }
    return Optional.of(next.delivery);
  }

  @Override
  public void append(List<byte[]> records) throws IOException {
    if (!leads()) {
      throw new IOException("this coordinator does not lead");
    }
    proposals++;
    Proposal mine =
        new Proposal(
            self.concat(
                UnsafeByteOperations.unsafeWrap(
                    ByteBuffer.allocate(Long.BYTES).putLong(proposals).flip())));
    SharedLogEntry.Builder entry = SharedLogEntry.newBuilder().setProposal(mine.name);
    records.forEach(record -> entry.addRecords(UnsafeByteOperations.unsafeWrap(record)));
    ByteString encoded = entry.build().toByteString();
    if (encoded.size() > MAX_ENTRY_BYTES) {
      throw new IOException("batch of " + encoded.size() + " bytes, maximum " + MAX_ENTRY_BYTES);
    }
    proposal.set(mine);
    String problem = "";
    try {
      replication.propose(encoded).get(APPEND_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      problem = e.getCause().toString();
    } catch (TimeoutException e) {
      problem = "not committed within " + APPEND_TIMEOUT_MS + " ms";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      problem = "interrupted";
    }
    TermIndex at = mine.abandon();
    if (at == null) {
      leadingTerm = NOT_LEADING;
      log.warn("coordinator ceases to lead, a change was not committed reason={}", problem);
      replication.resign();
      throw new IOException("the change was not committed: " + problem);
    }
    applied = at;
    recordBytes += bytes(records);
  }

  @Override
  public void replace(List<byte[]> snapshot) throws IOException {
    if (applied == null) {
      return;
    }
    if (machine.store(applied, snapshot)) {
      replication.purge();
    }
    recordBytes = 0;
    snapshotBytes = bytes(snapshot);
  }

  @Override
  public long recordBytes() {
    return recordBytes;
  }

  @Override
  public long snapshotBytes() {
    return snapshotBytes;
  }

  /** Does nothing: the group ends the replication. */
  @Override
  public void close() {}

  @Override
  public void committed(TermIndex at, SharedLogEntry entry) {
    Proposal mine = proposal.get();
    if (mine != null && mine.name.equals(entry.getProposal()) && mine.applied(at)) {
      return;
    }
    deliver(
        new Waiting(
            at,
            NOT_LEADING,
            new Delivery.Appended(
                entry.getRecordsList().stream().map(ByteString::toByteArray).toList())));
  }

  @Override
  public void installed(TermIndex at, List<byte[]> snapshot) {
    deliver(new Waiting(at, NOT_LEADING, new Delivery.Replaced(snapshot)));
  }

  @Override
  public void leading(long term) {
    deliver(new Waiting(null, term, new Delivery.Leading()));
  }

  @Override
  public void failed(String reason) {
    leadingTerm = NOT_LEADING;
    if (failure == null) {
      failure = reason.lines().findFirst().orElse("unknown");
      log.error("coordinator left the quorum, repair it and restart reason={}", failure);
      // Otherwise it could lead without its own log, although it decides nothing.
      replication.leave();
    }
  }

  private void deliver(Waiting next) {
    try {
      deliveries.put(next);
    } catch (InterruptedException e) {
      // Ratis stops its thread; a restart delivers everything again.
      Thread.currentThread().interrupt();
    }
  }

  private static long bytes(List<byte[]> all) {
    return all.stream().mapToLong(one -> one.length).sum();
  }
}
