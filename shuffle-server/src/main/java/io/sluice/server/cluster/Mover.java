package io.sluice.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.DaemonThreads;
import io.sluice.proto.MoveProgress;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleMove;
import io.sluice.server.disk.DamageReports;
import io.sluice.server.disk.RateLimiter;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.read.FileReads;
import io.sluice.server.service.PushSeal;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the server's data to other servers during a decommission. Has threads only while a move is
 * in progress. Thread-safe.
 */
public final class Mover implements Decommission.Handover, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Mover.class);

  /**
   * Maximum number of moves in a heartbeat; coordinators accept no more, and remember earlier ones.
   */
  public static final int MAX_MOVES = 10_000;

  /** Maximum bytes of moves in a heartbeat, as names may be long. */
  private static final int MAX_MOVES_BYTES = 1 << 20;

  private static final long UPDATE_MS = 200;
  private static final long NEXT_PASS_MS = 1_000;
  private static final long RETRY_MS = 2_000;

  /** Interval of checks of the targets of finished shuffles, which may crash. */
  private static final long CHECK_MS = 5_000;

  private static final long THREADS_END_MS = 5_000;

  private final ShuffleStore store;
  private final PushSeal seal;
  private final MoveTargets targets;
  private final LogReader reader;
  private final MoveConfig config;
  private final Supplier<ServerId> self;
  private final LongSupplier nanoTime;
  private final IntFunction<ScheduledExecutorService> executors;
  private final AtomicLong movedBytes = new AtomicLong();

  @GuardedBy("this")
  private ScheduledExecutorService threads;

  @GuardedBy("this")
  private boolean closed;

  private volatile MoveRun run;
  private volatile Runnable onDone = () -> {};

  /**
   * @param executors creates the threads of a move, by their number
   */
  Mover(
      ShuffleStore store,
      PushSeal seal,
      MoveTargets targets,
      LogReader reader,
      MoveConfig config,
      Supplier<ServerId> self,
      LongSupplier nanoTime,
      IntFunction<ScheduledExecutorService> executors) {
    this.store = store;
    this.seal = seal;
    this.targets = targets;
    this.reader = reader;
    this.config = config;
    this.self = self;
    this.nanoTime = nanoTime;
    this.executors = executors;
  }

  /**
   * @param reads reads of this server's files
   * @param reports verifies blocks that are damaged when they are read
   * @param self identity of this server
   * @param security credentials for coordinators and for other servers
   * @param clock for the expiry of tokens
   */
  public static Mover of(
      ShuffleStore store,
      PushSeal seal,
      FileReads reads,
      DamageReports reports,
      long epoch,
      ByteBufAllocator allocator,
      List<HostPort> coordinators,
      MoveConfig config,
      Supplier<ServerId> self,
      ClusterSecurity security,
      Clock clock,
      LongSupplier nanoTime) {
    return new Mover(
        store,
        seal,
        new ClusterTargets(coordinators, self, security, clock, nanoTime),
        new LogReader(
            reads,
            epoch,
            allocator,
            (log, partition, offset) -> {
              CompletableFuture<Void> unused = reports.verify(log, partition, offset);
            }),
        config,
        self,
        nanoTime,
        Mover::newThreads);
  }

  /** Sets a listener, called on a thread of the move when all data was moved. */
  public void onDone(Runnable listener) {
    onDone = listener;
  }

  /** Starts; does nothing if already started. */
  @Override
  public synchronized void begin() {
    if (run != null || closed) {
      return;
    }
    RateLimiter rate = new RateLimiter(config.bytesPerSecond(), nanoTime);
    MoveRun begun = new MoveRun(store, seal, shuffle -> moving(shuffle, rate));
    threads = executors.apply(config.copies());
    run = begun;
    ScheduledFuture<?> unused =
        threads.scheduleWithFixedDelay(() -> update(begun), 0, UPDATE_MS, TimeUnit.MILLISECONDS);
    log.info(
        "move started shuffles={} storedBytes={} copies={} bytesPerSecond={}",
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

  private static ScheduledExecutorService newThreads(int count) {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(count, DaemonThreads.numbered("move"));
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return executor;
  }

  /** Stops the move; copies stay on their targets. Idempotent. */
  @Override
  public void cancel() {
    ScheduledExecutorService ending;
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

  /** Whether all data was moved and the server refuses pushes. */
  @Override
  public boolean isDone() {
    MoveRun now = run;
    return now != null && now.isDone();
  }

  private void update(MoveRun of) {
    try {
      if (of != run || of.isDone()) {
        return;
      }
      int sealBefore = of.currentSeal();
      of.update(shuffle -> execute(of, shuffle, 0));
      if (sealBefore == 0 && of.currentSeal() > 0) {
        log.info("server sealed, last pass of the move starts shuffles={}", of.shuffles().size());
      }
      if (of.isDone()) {
        log.info("move done shuffles={} movedBytes={}", of.shuffles().size(), movedBytes.get());
        onDone.run();
      }
    } catch (RuntimeException | Error e) {
      log.error("update of the move failed, will retry", e);
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
      log.debug("move stopped");
    }
  }

  private void step(MoveRun of, MovingShuffle shuffle) {
    long nextMs = RETRY_MS;
    try {
      if (of != run || !of.needsSteps(shuffle)) {
        return;
      }
      String before = shuffle.waitsFor();
      nextMs = shuffle.step(of.currentSeal()) ? NEXT_PASS_MS : RETRY_MS;
      nextMs = shuffle.isFinished(of.currentSeal()) ? CHECK_MS : nextMs;
      String now = shuffle.waitsFor();
      if (!now.isEmpty() && !now.equals(before)) {
        log.info("shuffle not moved yet {} reason={}", shuffle.key(), now);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (RuntimeException | Error e) {
      log.error("move of a shuffle failed, will retry {}", shuffle.key(), e);
    }
    if (of.needsSteps(shuffle)) {
      execute(of, shuffle, nextMs);
    }
  }

  /** The moves to report with each heartbeat; those that drivers have not applied come first. */
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
        if (moves.size() == MAX_MOVES || bytes > MAX_MOVES_BYTES) {
          return moves;
        }
        moves.add(move);
      }
    }
    return moves;
  }

  /** Reports moves that drivers have applied. */
  public void applied(Collection<ShuffleMove> moves) {
    MoveRun now = run;
    if (now != null) {
      moves.forEach(now::applied);
    }
  }

  /** Progress of the move; empty if none is in progress. */
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

  /** Bytes accepted by other servers since the start of the process. */
  @Override
  public long movedBytes() {
    return movedBytes.get();
  }

  /** Stops the threads; returns within a bounded time. Idempotent. */
  @Override
  public void close() throws InterruptedException {
    ScheduledExecutorService ending;
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
