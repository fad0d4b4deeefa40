package io.sluice.server.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The server's memory for blocks: one arena, who uses how much of it, and who waits for some.
 *
 * <p>What is counted is slabs, never payload: a body of one byte counts as one slab, so what is
 * resident never exceeds the capacity, whatever clients send.
 *
 * <p><b>Fairness.</b> While nobody waits, the first to ask gets. Otherwise freed memory goes to the
 * application that uses least, which is the one furthest below its fair share, and within it to the
 * waiter that came first. A waiter that is called is <em>granted</em> what it asked for: others
 * cannot take it before the retry comes. A grant that nobody claims within {@link #GRANT_NANOS}
 * (its connection died) is taken back by {@link #expireGrants}.
 *
 * <p>Invariants: {@code used + granted <= capacity}; {@code used} is the sum over applications; a
 * slab is free or owned by exactly one buffer.
 *
 * <p>Thread-safe, with one lock held for microseconds; callbacks run outside it.
 */
public final class MemoryBudget implements BodyMemory, AutoCloseable {
  static final long GRANT_NANOS = 2_000_000_000L;

  private final MemoryConfig config;
  private final LongSupplier nanoTime;
  private final Object lock = new Object();

  // All guarded by lock, but that usage may be read without it.
  private final SlabArena arena;
  private final Map<String, Usage> usages = new HashMap<>();
  private final Set<Usage> waiting = new LinkedHashSet<>();
  private final ArrayDeque<Waiter> granted = new ArrayDeque<>();
  private int grantedSlabs;
  private final AtomicInteger usedSlabs = new AtomicInteger();
  private volatile int peakSlabs;
  private volatile Runnable pressureListener = () -> {};

  /**
   * @param nanoTime monotonic clock, for grants that nobody claims
   */
  public MemoryBudget(MemoryConfig config, LongSupplier nanoTime) {
    this.config = config;
    this.nanoTime = nanoTime;
    this.arena = new SlabArena(config.slabBytes(), config.capacitySlabs());
  }

  /**
   * Calls {@code listener} whenever an allocation leaves more than the high mark in use, and
   * whenever one is refused. It runs on the allocating thread and must only signal another one.
   */
  public void onPressure(Runnable listener) {
    pressureListener = listener;
  }

  public MemoryConfig config() {
    return config;
  }

  /** Bytes that a body of {@code length} bytes holds of the budget. */
  public long heldBytes(int length) {
    return (long) config.slabs(length) * config.slabBytes();
  }

  @Override
  public ByteBuf tryAllocate(String application, int length) {
    if (length < 0 || config.slabs(length) > config.capacitySlabs()) {
      throw new IllegalArgumentException(
          "a body of "
              + length
              + " bytes can never be admitted: memory capacity "
              + config.capacityBytes());
    }
    if (length == 0) {
      return Unpooled.EMPTY_BUFFER;
    }
    int slabs = config.slabs(length);
    ByteBuf body;
    boolean tight;
    synchronized (lock) {
      Usage usage = usages.computeIfAbsent(application, Usage::new);
      boolean mayTake = claimGrant(usage, slabs) || mayTakeFree(usage, slabs);
      body = mayTake && arena.ensureFree(slabs) ? allocate(usage, length, slabs) : null;
      if (body == null) {
        forgetIfIdle(usage);
      }
      tight = body == null || usedBytes() > highBytes();
    }
    if (tight) {
      pressureListener.run();
    }
    return body;
  }

  @Override
  public Runnable whenAvailable(String application, int length, Runnable retry) {
    Waiter waiter;
    List<Waiter> called;
    synchronized (lock) {
      Usage usage = usages.computeIfAbsent(application, Usage::new);
      waiter = new Waiter(usage, config.slabs(length), retry);
      if (usage.displaced > 0) {
        usage.displaced--;
        usage.queue.addFirst(waiter);
      } else {
        usage.queue.addLast(waiter);
      }
      waiting.add(usage);
      called = grantWhatFits();
    }
    pressureListener.run();
    call(called);
    return () -> cancel(waiter);
  }

  @Override
  public int usedPermille() {
    return (int) (usedSlabs.get() * 1000L / config.capacitySlabs());
  }

  /** Bytes of slabs in use; 0 once every body was released. */
  public long usedBytes() {
    return (long) usedSlabs.get() * config.slabBytes();
  }

  /** Most bytes ever in use. */
  public long peakBytes() {
    return (long) peakSlabs * config.slabBytes();
  }

  public long capacityBytes() {
    return (long) config.capacitySlabs() * config.slabBytes();
  }

  /** Bytes in use by bodies that {@code application} sent. */
  public long usedBytes(String application) {
    synchronized (lock) {
      Usage usage = usages.get(application);
      return usage == null ? 0 : (long) usage.slabs * config.slabBytes();
    }
  }

  /** Bodies that wait for memory. */
  public int waitingCount() {
    synchronized (lock) {
      int count = 0;
      for (Usage usage : waiting) {
        count += usage.queue.size();
      }
      return count;
    }
  }

  public MemoryPressure pressure() {
    synchronized (lock) {
      Usage next = nextToServe();
      long wanted = next == null ? 0 : (long) next.queue.peekFirst().slabs * config.slabBytes();
      return new MemoryPressure(
          usedBytes(),
          (long) arena.capacitySlabs() * config.slabBytes(),
          highBytes(),
          capacityBytes() * config.lowPercent() / 100,
          wanted);
    }
  }

  /** Calls the listener if memory is tight: there is something new that could be written out. */
  public void signalIfTight() {
    if (pressure().tight()) {
      pressureListener.run();
    }
  }

  /**
   * Takes back grants that were not claimed in time and calls the next waiters. To be called now
   * and then while anybody waits.
   */
  public void expireGrants() {
    List<Waiter> called;
    synchronized (lock) {
      long now = nanoTime.getAsLong();
      Waiter oldest = granted.peekFirst();
      while (oldest != null && now - oldest.grantedAtNanos >= GRANT_NANOS) {
        granted.removeFirst();
        endGrant(oldest);
        oldest.usage.displaced++;
        oldest = granted.peekFirst();
      }
      called = grantWhatFits();
    }
    call(called);
  }

  /**
   * Calls everybody who waits, without granting anything: they find out that there is nothing to
   * wait for any more, or wait again.
   */
  public void retryWaiters() {
    List<Waiter> called = new ArrayList<>();
    synchronized (lock) {
      for (Usage usage : waiting) {
        called.addAll(usage.queue);
        usage.queue.clear();
      }
      waiting.clear();
      for (Waiter waiter : called) {
        forgetIfIdle(waiter.usage);
      }
    }
    call(called);
  }

  /**
   * Gives the arena up. Waiters are forgotten, buffers still in use stay valid until released.
   * Idempotent.
   */
  @Override
  public void close() {
    synchronized (lock) {
      waiting.clear();
      granted.clear();
      grantedSlabs = 0;
      arena.close();
    }
  }

  private long highBytes() {
    return capacityBytes() * config.highPercent() / 100;
  }

  /** Without a grant: only what nobody else was promised, and not past those who wait. */
  private boolean mayTakeFree(Usage usage, int slabs) {
    if (slabs > freeSlabs()) {
      return false;
    }
    Usage next = nextToServe();
    return next == null || (usage.queue.isEmpty() && usage.slabs + slabs < next.slabs);
  }

  private int freeSlabs() {
    return arena.capacitySlabs() - usedSlabs.get() - grantedSlabs;
  }

  private ByteBuf allocate(Usage usage, int length, int slabs) {
    usage.slabs += slabs;
    peakSlabs = Math.max(peakSlabs, usedSlabs.addAndGet(slabs));
    if (slabs == 1) {
      return slab(usage, length).writerIndex(0);
    }
    ByteBuf[] parts = new ByteBuf[slabs];
    int left = length;
    for (int i = 0; i < slabs; i++) {
      int part = Math.min(left, config.slabBytes());
      parts[i] = slab(usage, part);
      left -= part;
    }
    CompositeByteBuf body =
        new CompositeByteBuf(UnpooledByteBufAllocator.DEFAULT, true, Math.max(16, slabs));
    return body.addComponents(true, parts).writerIndex(0);
  }

  private ByteBuf slab(Usage usage, int length) {
    int slab = arena.take();
    return SlabBuffers.wrap(arena.memory(slab).limit(length), () -> release(usage, slab));
  }

  private void release(Usage usage, int slab) {
    List<Waiter> called;
    synchronized (lock) {
      arena.giveBack(slab);
      usedSlabs.decrementAndGet();
      usage.slabs--;
      forgetIfIdle(usage);
      called = grantWhatFits();
    }
    call(called);
  }

  private void forgetIfIdle(Usage usage) {
    if (usage.slabs == 0 && usage.queue.isEmpty() && usage.grants == 0) {
      usages.remove(usage.application, usage);
    }
  }

  /** The application whose first waiter is served next, or null when nobody waits. */
  private Usage nextToServe() {
    Usage next = null;
    for (Usage usage : waiting) {
      if (next == null || usage.slabs + usage.grantedSlabs < next.slabs + next.grantedSlabs) {
        next = usage;
      }
    }
    return next;
  }

  /**
   * Grants free memory in fair order, and stops at the first waiter for whom it does not suffice: a
   * large body is not starved by small ones.
   */
  private List<Waiter> grantWhatFits() {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<Waiter> called = new ArrayList<>();
    Usage next = nextToServe();
    while (next != null && next.queue.peekFirst().slabs <= freeSlabs()) {
      Waiter waiter = next.queue.removeFirst();
      if (next.queue.isEmpty()) {
        waiting.remove(next);
      }
      waiter.grantedAtNanos = nanoTime.getAsLong();
      waiter.holdsGrant = true;
      next.grants++;
      next.grantedSlabs += waiter.slabs;
      grantedSlabs += waiter.slabs;
      granted.addLast(waiter);
      called.add(waiter);
      next = nextToServe();
    }
    return called;
  }

  private boolean claimGrant(Usage usage, int slabs) {
    if (usage.grants == 0) {
      return false;
    }
    for (Waiter waiter : granted) {
      if (waiter.usage == usage && waiter.slabs == slabs) {
        granted.remove(waiter);
        endGrant(waiter);
        return true;
      }
    }
    return false;
  }

  private void endGrant(Waiter waiter) {
    waiter.holdsGrant = false;
    waiter.usage.grants--;
    waiter.usage.grantedSlabs -= waiter.slabs;
    grantedSlabs -= waiter.slabs;
  }

  private void cancel(Waiter waiter) {
    List<Waiter> called;
    synchronized (lock) {
      Usage usage = waiter.usage;
      if (waiter.holdsGrant) {
        granted.remove(waiter);
        endGrant(waiter);
      } else if (usage.queue.remove(waiter) && usage.queue.isEmpty()) {
        waiting.remove(usage);
      }
      forgetIfIdle(usage);
      called = grantWhatFits();
    }
    call(called);
  }

  private static void call(List<Waiter> waiters) {
    for (Waiter waiter : waiters) {
      waiter.retry.run();
    }
  }

  /** What one application uses and who of it waits. Guarded by the budget's lock. */
  private static final class Usage {
    final String application;
    final ArrayDeque<Waiter> queue = new ArrayDeque<>();
    int slabs;
    int grants;
    int grantedSlabs;
    // Grants that ran out: as many of the next waiters go to the front of the queue.
    int displaced;

    Usage(String application) {
      this.application = application;
    }
  }

  private static final class Waiter {
    final Usage usage;
    final int slabs;
    final Runnable retry;
    long grantedAtNanos;
    boolean holdsGrant;

    Waiter(Usage usage, int slabs, Runnable retry) {
      this.usage = usage;
      this.slabs = slabs;
      this.retry = retry;
    }
  }
}
