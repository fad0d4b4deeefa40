package io.sluice.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.DaemonThreads;
import io.sluice.proto.MoveProgress;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.disk.RateLimiter;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.read.FileReads;
import io.sluice.server.service.PushSeal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves what the server holds to others while it is told to. Has threads only meanwhile.
 * Thread-safe.
 */
public final class Mover implements Decommission.Handover, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Mover.class);

  /** Of a heartbeat; coordinators remember what they were told, and take no more. */
  private static final int MAX_TOLD = 10_000;

  /** The same, in bytes: names may be long. */
  private static final int MAX_TOLD_BYTES = 1 << 20;

  private static final long LOOK_MS = 200;
  private static final long NEXT_PASS_MS = 1_000;
  private static final long RETRY_MS = 2_000;

  /** While the last of others are copied: a target may crash. */
  private static final long CHECK_MS = 5_000;

  private static final long THREADS_END_MS = 5_000;

  private final ShuffleStore store;
  private final PushSeal seal;
  private final MoveTargets targets;
  private final LogReader reader;
  private final MoveConfig config;
  private final Supplier<ServerId> self;
  private final LongSupplier nanoTime;
  private final AtomicLong movedBytes = new AtomicLong();

  @GuardedBy("this")
  private ScheduledThreadPoolExecutor threads;

  @GuardedBy("this")
  private boolean closed;

  private volatile MoveRun run;
  private volatile Runnable onDone = () -> {};

  Mover(
      ShuffleStore store,
      PushSeal seal,
      MoveTargets targets,
      LogReader reader,
      MoveConfig config,
      Supplier<ServerId> self,
      LongSupplier nanoTime) {
    this.store = store;
    this.seal = seal;
    this.targets = targets;
    this.reader = reader;
    this.config = config;
    this.self = self;
    this.nanoTime = nanoTime;
  }

  /**
   * @param reads of this server's files, in this epoch of it
   * @param self who this server is, once it is known
   * @param security proves this server to coordinators, and applications to other servers
   */
  public static Mover of(
      ShuffleStore store,
      PushSeal seal,
      FileReads reads,
      long epoch,
      ByteBufAllocator allocator,
      List<HostPort> coordinators,
      MoveConfig config,
      Supplier<ServerId> self,
      ClusterSecurity security,
      LongSupplier nanoTime) {
    return new Mover(
        store,
        seal,
        new ClusterTargets(coordinators, self, security, nanoTime),
        new LogReader(reads, epoch, allocator),
        config,
        self,
        nanoTime);
  }

  /** Has somebody told, on a thread of the move, when everything has been moved. */
  public void onDone(Runnable listener) {
    onDone = listener;
  }

  /** Begins, unless it has begun. */
  @Override
  public synchronized void begin() {
    if (run != null || closed) {
      return;
    }
    RateLimiter rate = new RateLimiter(config.bytesPerSecond(), nanoTime);
    MoveRun begun = new MoveRun(store, seal, shuffle -> moving(shuffle, rate));
    threads = newThreads();
    run = begun;
    ScheduledFuture<?> unused =
        threads.scheduleWithFixedDelay(() -> look(begun), 0, LOOK_MS, TimeUnit.MILLISECONDS);
    log.info(
        "move begun shuffles={} storedBytes={} copies={} bytesPerSecond={}",
        store.shuffleCount(),
        store.totals().storedBytes(),
        config.copies(),
        config.bytesPerSecond());
  }

  private MovingShuffle moving(ShuffleLog shuffle, RateLimiter rate) {
    return new MovingShuffle(
        shuffle,
        targets,
        () -> new ShuffleCopy(shuffle, reader, rate, movedBytes::addAndGet),
        self.get().getName());
  }

  private ScheduledThreadPoolExecutor newThreads() {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(config.copies(), DaemonThreads.numbered("move"));
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return executor;
  }

  /** Stops; what has been copied stays where it is. Idempotent. */
  @Override
  public void cancel() {
    ScheduledThreadPoolExecutor ending;
    MoveRun ended;
    synchronized (this) {
      ending = threads;
      ended = run;
      threads = null;
      run = null;
    }
    if (ended == null) {
      return;
    }
    ending.shutdownNow();
    ended.stop();
    log.info("move stopped movedBytes={}", movedBytes.get());
  }

  /** Whether everything has been moved and nothing more is taken. */
  @Override
  public boolean isDone() {
    MoveRun now = run;
    return now != null && now.isDone();
  }

  private void look(MoveRun of) {
    try {
      if (of != run || of.isDone()) {
        return;
      }
      boolean sealedBefore = of.isSealed();
      of.look(shuffle -> execute(of, shuffle, 0));
      if (!sealedBefore && of.isSealed()) {
        log.info("move seals the server shuffles={}", of.shuffles().size());
      }
      if (of.isDone()) {
        log.info("move done shuffles={} movedBytes={}", of.shuffles().size(), movedBytes.get());
        onDone.run();
      }
    } catch (RuntimeException | Error e) {
      log.error("look at the move failed, trying on", e);
    }
  }

  private synchronized void execute(MoveRun of, MovingShuffle shuffle, long delayMs) {
    if (of != run) {
      return;
    }
    try {
      ScheduledFuture<?> unused =
          threads.schedule(() -> step(of, shuffle), delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("move ends");
    }
  }

  private void step(MoveRun of, MovingShuffle shuffle) {
    long nextMs = RETRY_MS;
    try {
      if (of != run || !of.concerns(shuffle)) {
        return;
      }
      String before = shuffle.waitsFor();
      nextMs = shuffle.step(of.isSealed()) ? NEXT_PASS_MS : RETRY_MS;
      nextMs = shuffle.isFinished() ? CHECK_MS : nextMs;
      String now = shuffle.waitsFor();
      if (!now.isEmpty() && !now.equals(before)) {
        log.info("shuffle waits to be moved shuffle={} reason={}", shuffle.key(), now);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (RuntimeException | Error e) {
      log.error("move of a shuffle failed, trying on shuffle={}", shuffle.key(), e);
    }
    if (of.concerns(shuffle)) {
      execute(of, shuffle, nextMs);
    }
  }

  /**
   * Where what is held is copied to: what coordinators are told with each heartbeat. First those
   * that drivers do not know.
   */
  public List<ShuffleMove> moves() {
    MoveRun now = run;
    if (now == null) {
      return List.of();
    }
    List<ShuffleMove> moves = new ArrayList<>();
    int bytes = 0;
    for (boolean applied : new boolean[] {false, true}) {
      for (MovingShuffle shuffle : now.shuffles()) {
        ShuffleMove move = shuffle.isApplied() == applied ? shuffle.move() : null;
        if (move == null) {
          continue;
        }
        bytes += move.getSerializedSize();
        if (moves.size() == MAX_TOLD || bytes > MAX_TOLD_BYTES) {
          return moves;
        }
        moves.add(move);
      }
    }
    return moves;
  }

  /** Drivers heed some moves, as a coordinator says. */
  public void applied(Collection<ShuffleMove> moves) {
    MoveRun now = run;
    if (now != null) {
      moves.forEach(now::applied);
    }
  }

  /** How far the move is; empty while there is none. */
  @Override
  public Optional<MoveProgress> progress() {
    MoveRun now = run;
    if (now == null) {
      return Optional.empty();
    }
    MoveProgress.Builder progress = MoveProgress.newBuilder().setMovedBytes(movedBytes.get());
    for (MovingShuffle shuffle : now.shuffles()) {
      if (shuffle.isReady()) {
        progress.setShufflesMoved(progress.getShufflesMoved() + 1);
      } else {
        progress.setShufflesLeft(progress.getShufflesLeft() + 1);
      }
      progress.setBytesLeft(progress.getBytesLeft() + shuffle.bytesLeft());
      String why = shuffle.waitsFor();
      if (progress.getWaitsFor().isEmpty() && !why.isEmpty()) {
        progress.setWaitsFor(shuffle.key() + ": " + why);
      }
    }
    return Optional.of(progress.build());
  }

  /** Bytes that other servers took, since the start of the process. */
  @Override
  public long movedBytes() {
    return movedBytes.get();
  }

  /** Ends within a bounded time. Idempotent. */
  @Override
  public void close() throws InterruptedException {
    ScheduledThreadPoolExecutor ending;
    synchronized (this) {
      closed = true;
      ending = threads;
    }
    if (ending != null) {
      ending.shutdownNow();
      ending.awaitTermination(THREADS_END_MS, TimeUnit.MILLISECONDS);
    }
  }
}
