package io.sluice.server.service;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.observe.ServerCounters;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.ClientConnection;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.BooleanSupplier;

/**
 * Admission control for pushes. Thread-safe; no method waits for a disk or for memory.
 *
 * <p>A push is checked twice, in this order:
 *
 * <ol>
 *   <li>{@link #check}, when its head was received, and again while it waits for memory. A refused
 *       push costs no memory for its body: quota (DENIED), sealed (LEAVING), identifiers
 *       (BAD_REQUEST, DENIED), epoch (STALE_EPOCH), stopped (DRAINING), removed shuffle (EXPIRED),
 *       length (FRAME_TOO_LARGE), no memory and no disk (NO_SPACE).
 *   <li>{@link #begin}, when its body was received, before the body is verified: sealed,
 *       identifiers, epoch, stopped, removed shuffle, and too many log entries in memory (BUSY).
 *       Quota and space are not checked again, because memory for the body is already reserved.
 * </ol>
 *
 * <p>Every refusal counts as {@link ServerCounters#refusedFrames}, those of quotas also as {@link
 * OverQuota#refusedFrames}.
 */
public final class PushAdmission implements PushSeal {
  private final ServerEpochs epochs;
  private final FrameLimits limits;
  private final MemoryBudget memory;
  private final ShuffleStore store;
  private final BooleanSupplier canStore;
  private final OverQuota overQuota;
  private final ServerCounters counters;

  // Appends take the read lock, for microseconds; sealing takes the write lock.
  private final StampedLock appends = new StampedLock();
  private final Lock shared = appends.asReadLock();
  // Written under the write lock.
  private volatile boolean sealed;
  private volatile boolean stopped;

  /**
   * @param limits configured maximum frame sizes; a body larger than the whole memory is never
   *     admitted
   * @param canStore false while full memory cannot be freed because no disk accepts data
   */
  public PushAdmission(
      ServerEpochs epochs,
      FrameLimits limits,
      MemoryBudget memory,
      ShuffleStore store,
      BooleanSupplier canStore,
      OverQuota overQuota,
      ServerCounters counters) {
    this.epochs = epochs;
    this.limits =
        new FrameLimits(
            limits.maxHeadLength(), (int) Math.min(limits.maxBodyLength(), memory.capacityBytes()));
    this.memory = memory;
    this.store = store;
    this.canStore = canStore;
    this.overQuota = overQuota;
    this.counters = counters;
  }

  /** Maximum head and body of a frame that can be admitted. */
  FrameLimits limits() {
    return limits;
  }

  /** Refuses all further pushes with DRAINING, and pushes that wait for memory. Idempotent. */
  public void stop() {
    stopped = true;
    memory.retryWaiters();
  }

  @Override
  public void seal() {
    setSealed(true);
    // Pushes that wait for memory are checked again, and refused.
    memory.retryWaiters();
  }

  @Override
  public void unseal() {
    setSealed(false);
  }

  private void setSealed(boolean value) {
    long stamp = appends.writeLock();
    try {
      sealed = value;
    } finally {
      appends.unlockWrite(stamp);
    }
  }

  /**
   * Checks a push whose body has not been received.
   *
   * @param bodyLength bytes, from the frame's header
   * @throws SluiceException if the push is refused independent of its body
   */
  void check(ClientConnection connection, Push push, int bodyLength) throws SluiceException {
    try {
      checkQuota(connection.application());
      checkNotSealed();
      checkHead(connection, push);
      checkSpace(connection.application(), bodyLength);
    } catch (SluiceException e) {
      counters.refusedFrame();
      throw e;
    }
  }

  /**
   * Checks a push whose body has been received. {@link #seal} waits from now on until the push has
   * {@link #end}ed.
   *
   * @return the shuffle of the push
   * @throws SluiceException if the push is refused; it has ended then
   */
  ShuffleKey begin(ClientConnection connection, Push push) throws SluiceException {
    boolean admitted = false;
    shared.lock();
    try {
      checkNotSealed();
      ShuffleKey key = checkHead(connection, push);
      checkExtentsFit();
      admitted = true;
      return key;
    } finally {
      if (!admitted) {
        counters.refusedFrame();
        shared.unlock();
      }
    }
  }

  /**
   * Ends a push that began: it was appended or failed. Called by the thread that called {@link
   * #begin}.
   */
  void end() {
    shared.unlock();
  }

  /** DENIED makes clients write local output, because all other servers refuse the push as well. */
  private void checkQuota(String application) throws SluiceException {
    String reason = overQuota.reason(application);
    if (reason != null) {
      overQuota.refused();
      throw new SluiceException(
          StatusCode.DENIED, "application=" + application + " is over quota: " + reason);
    }
  }

  private void checkNotSealed() throws SluiceException {
    if (sealed) {
      throw new SluiceException(
          StatusCode.LEAVING,
          "the server is being decommissioned and has moved its data;"
              + " push to the replacement server");
    }
  }

  private ShuffleKey checkHead(ClientConnection connection, Push push) throws SluiceException {
    ShuffleKey key = Identifiers.shuffle(connection, push.getShuffle());
    epochs.checkCurrent(key, push.getEpoch());
    if (stopped) {
      throw new SluiceException(StatusCode.DRAINING, "the server is stopping");
    }
    if (store.find(key) == null) {
      store.checkNotExpired(key);
    }
    return key;
  }

  /** Refuses a body if the memory that it needs cannot become free. */
  private void checkSpace(String application, int bodyLength) throws SluiceException {
    if (bodyLength > limits.maxBodyLength()) {
      throw new SluiceException(
          StatusCode.FRAME_TOO_LARGE,
          "body of " + bodyLength + " bytes, maximum " + limits.maxBodyLength() + " bytes");
    }
    if (!memory.canFit(bodyLength)) {
      throw new SluiceException(
          StatusCode.NO_SPACE,
          "body of "
              + bodyLength
              + " bytes is larger than the memory that the JVM could allocate;"
              + " raise -XX:MaxDirectMemorySize of the server");
    }
    if (!canStore.getAsBoolean()
        && (memory.pressure().tight() || memory.exceedsLimit(application, bodyLength))) {
      throw new SluiceException(
          StatusCode.NO_SPACE, "memory is full and no disk of the server accepts data");
    }
  }

  private void checkExtentsFit() throws SluiceException {
    long buffered = store.totals().bufferedExtents();
    if (buffered > store.config().maxBufferedExtents()) {
      throw new SluiceException(
          StatusCode.BUSY,
          "the server's logs have "
              + buffered
              + " extents in memory, maximum "
              + store.config().maxBufferedExtents());
    }
  }
}
