package io.sluice.server.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.transport.server.BodyMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
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
 * <p><b>Reserve.</b> An application that has more than its share, which is the capacity divided by
 * the applications that use or want some, and at most half of it, does not get the last {@link
 * #RESERVE_PARTS}th of memory: that is for those who have less. So whoever comes, or pushes little,
 * finds memory at once while somebody else fills all that spilling frees. Only who uses something
 * is held back like this.
 *
 * <p><b>Limits.</b> An application that {@link #limit} names is held back while it uses its limit:
 * it waits although there is memory, and those who wait behind it do not wait for it. One that uses
 * nothing is never held back, however large its body.
 *
 * <p>Invariants: {@code used + granted <= capacity}; {@code used} is the sum over applications; a
 * slab is free or owned by exactly one buffer.
 *
 * <p>Thread-safe, with one lock held for microseconds; callbacks run outside it.
 */
public final class MemoryBudget implements BodyMemory, AutoCloseable {
  static final long GRANT_NANOS = 2_000_000_000L;

  /** A sixteenth: some tens of frames on a server of a few GiB. */
  static final int RESERVE_PARTS = 16;

  private final MemoryConfig config;
  private final LongSupplier nanoTime;
  private final Object lock = new Object();

  // MemoryUse may be read without the lock.
  private final SlabArena arena;

  @GuardedBy("lock")
  private final Map<String, MemoryUse> usages = new HashMap<>();

  @GuardedBy("lock")
  private final Set<MemoryUse> waiting = new LinkedHashSet<>();

  @GuardedBy("lock")
  private final ArrayDeque<MemoryWaiter> granted = new ArrayDeque<>();

  @GuardedBy("lock")
  private int grantedSlabs;

  @GuardedBy("lock")
  private Set<String> limited = Set.of();

  @GuardedBy("lock")
  private int limitSlabs;

  private final AtomicInteger usedSlabs = new AtomicInteger();
  private volatile int peakSlabs;
  private volatile Runnable pressureListener = () -> {};

  /**
   * @param nanoTime monotonic clock, for grants that nobody claims
   */
  public MemoryBudget(MemoryConfig config, LongSupplier nanoTime) {
    this(config, nanoTime, ByteBuffer::allocateDirect);
  }

  /** As the other, with chunks of the arena from the caller. */
  MemoryBudget(MemoryConfig config, LongSupplier nanoTime, IntFunction<ByteBuffer> chunks) {
    this.config = config;
    this.nanoTime = nanoTime;
    this.arena = new SlabArena(config.slabBytes(), config.capacitySlabs(), chunks, nanoTime);
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
    List<MemoryWaiter> hopeless = List.of();
    synchronized (lock) {
      MemoryUse usage = usage(application);
      boolean mayTake = claimGrant(usage, slabs) || mayTakeFree(usage, slabs);
      int capacity = arena.capacitySlabs();
      body = mayTake && arena.ensureFree(slabs) ? allocate(usage, length, slabs) : null;
      if (arena.capacitySlabs() < capacity) {
        hopeless = takeWaitersBeyond(arena.capacitySlabs());
      }
      if (body == null) {
        forgetIfIdle(usage);
      }
      tight = body == null || usedBytes() > highBytes() || nearLimit(usage);
    }
    if (tight) {
      pressureListener.run();
    }
    call(hopeless);
    return body;
  }

  /**
   * Whether a body of {@code length} bytes could be admitted as the arena is: not while the JVM
   * refuses so much of it that the body is larger than what there is.
   */
  public boolean canHold(int length) {
    synchronized (lock) {
      return config.slabs(length) <= arena.capacitySlabs();
    }
  }

  /**
   * From now on these applications, and no others, are held back while they use {@code limitBytes}
   * each. Cheap when nothing changes.
   */
  public void limit(Set<String> applications, long limitBytes) {
    List<MemoryWaiter> called;
    synchronized (lock) {
      int slabs = (int) Math.min(config.capacitySlabs(), limitBytes / config.slabBytes());
      if (slabs == limitSlabs && applications.equals(limited)) {
        return;
      }
      limited = Set.copyOf(applications);
      limitSlabs = slabs;
      for (MemoryUse usage : usages.values()) {
        usage.limited = limited.contains(usage.application);
      }
      called = grantWhatFits();
    }
    call(called);
  }

  /** Applications of which a body waits for nothing but their limit. */
  public Set<String> heldBack() {
    synchronized (lock) {
      Set<String> names = new HashSet<>();
      for (MemoryUse usage : waiting) {
        if (isHeldBack(usage, usage.queue.peekFirst().slabs)) {
          names.add(usage.application);
        }
      }
      return names;
    }
  }

  /** Whether a body of {@code length} bytes would have to wait for its application's limit. */
  public boolean isHeldBack(String application, int length) {
    synchronized (lock) {
      MemoryUse usage = usages.get(application);
      return usage != null && isHeldBack(usage, config.slabs(length));
    }
  }

  @Override
  public Runnable whenAvailable(String application, int length, Runnable retry) {
    MemoryWaiter waiter;
    List<MemoryWaiter> called;
    synchronized (lock) {
      MemoryUse usage = usage(application);
      waiter = new MemoryWaiter(usage, config.slabs(length), retry);
      if (waiter.slabs > arena.capacitySlabs()) {
        // It would wait for ever: its retry finds out.
        forgetIfIdle(usage);
        called = List.of(waiter);
      } else {
        enqueue(waiter);
        called = grantWhatFits();
      }
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

  /**
   * Bytes of the arena that the JVM lets the server have: less than {@link #capacityBytes} after it
   * refused some, until a retry succeeds.
   */
  public long allocatableBytes() {
    synchronized (lock) {
      return (long) arena.capacitySlabs() * config.slabBytes();
    }
  }

  /** Bytes in use by bodies that {@code application} sent. */
  public long usedBytes(String application) {
    synchronized (lock) {
      MemoryUse usage = usages.get(application);
      return usage == null ? 0 : (long) usage.slabs * config.slabBytes();
    }
  }

  /** Bodies that wait for memory. */
  public int waitingCount() {
    synchronized (lock) {
      int count = 0;
      for (MemoryUse usage : waiting) {
        count += usage.queue.size();
      }
      return count;
    }
  }

  public MemoryPressure pressure() {
    synchronized (lock) {
      MemoryUse next = nextToServe();
      long wanted = next == null ? 0 : (long) wantedSlabs(next) * config.slabBytes();
      return new MemoryPressure(
          usedBytes(),
          allocatableBytes(),
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
    List<MemoryWaiter> called;
    synchronized (lock) {
      long now = nanoTime.getAsLong();
      MemoryWaiter oldest = granted.peekFirst();
      while (oldest != null && now - oldest.grantedAtNanos >= GRANT_NANOS) {
        granted.removeFirst();
        endGrant(oldest);
        oldest.use.displaced++;
        oldest = granted.peekFirst();
      }
      called = grantWhatFits();
    }
    call(called);
  }

  /**
   * Asks the JVM again for memory that it has refused, if it is time to. May take a second then,
   * for which nobody else waits. To be called now and then.
   */
  public void growArena() {
    int bytes;
    synchronized (lock) {
      bytes = arena.beginRetry();
    }
    if (bytes == 0) {
      return;
    }
    ByteBuffer chunk = arena.allocate(bytes);
    List<MemoryWaiter> called;
    synchronized (lock) {
      arena.endRetry(chunk);
      called = grantWhatFits();
    }
    call(called);
  }

  /**
   * Calls everybody who waits, without granting anything: they find out that there is nothing to
   * wait for any more, or wait again.
   */
  public void retryWaiters() {
    List<MemoryWaiter> called = new ArrayList<>();
    synchronized (lock) {
      for (MemoryUse usage : waiting) {
        called.addAll(usage.queue);
        usage.queue.clear();
      }
      waiting.clear();
      for (MemoryWaiter waiter : called) {
        forgetIfIdle(waiter.use);
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
  @GuardedBy("lock")
  private boolean mayTakeFree(MemoryUse usage, int slabs) {
    if (slabs > freeSlabs() || isHeldBack(usage, slabs) || needsReserve(usage, slabs)) {
      return false;
    }
    MemoryUse next = nextToServe();
    return next == null || (usage.queue.isEmpty() && usage.slabs + slabs < next.slabs);
  }

  @GuardedBy("lock")
  private int freeSlabs() {
    return arena.capacitySlabs() - usedSlabs.get() - grantedSlabs;
  }

  private ByteBuf allocate(MemoryUse usage, int length, int slabs) {
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

  private ByteBuf slab(MemoryUse usage, int length) {
    int slab = arena.take();
    return SlabBuffers.wrap(arena.memory(slab).limit(length), () -> release(usage, slab));
  }

  private void release(MemoryUse usage, int slab) {
    List<MemoryWaiter> called;
    synchronized (lock) {
      arena.giveBack(slab);
      usedSlabs.decrementAndGet();
      usage.slabs--;
      forgetIfIdle(usage);
      called = grantWhatFits();
    }
    call(called);
  }

  @GuardedBy("lock")
  private MemoryUse usage(String application) {
    MemoryUse usage = usages.get(application);
    if (usage == null) {
      usage = new MemoryUse(application, limited.contains(application));
      usages.put(application, usage);
    }
    return usage;
  }

  @GuardedBy("lock")
  private void enqueue(MemoryWaiter waiter) {
    MemoryUse usage = waiter.use;
    if (usage.displaced > 0) {
      usage.displaced--;
      usage.queue.addFirst(waiter);
    } else {
      usage.queue.addLast(waiter);
    }
    waiting.add(usage);
  }

  @GuardedBy("lock")
  private boolean isHeldBack(MemoryUse usage, int slabs) {
    int taken = usage.slabs + usage.grantedSlabs;
    return usage.limited && taken > 0 && taken + slabs > limitSlabs;
  }

  /** Whether there is too little for an application that has its share already. */
  @GuardedBy("lock")
  private boolean needsReserve(MemoryUse usage, int slabs) {
    int taken = usage.slabs + usage.grantedSlabs;
    int capacity = arena.capacitySlabs();
    return taken > 0
        && taken + slabs > capacity / Math.max(2, usages.size())
        && slabs > freeSlabs() - reservedSlabs();
  }

  private int reservedSlabs() {
    return arena.capacitySlabs() / RESERVE_PARTS;
  }

  /** Whether a limited application has so much that it should be written out. */
  @GuardedBy("lock")
  private boolean nearLimit(MemoryUse usage) {
    return usage.limited && usage.slabs > limitSlabs / 4;
  }

  /** Takes those who wait for more slabs than there will ever be out of the queues. */
  @GuardedBy("lock")
  private List<MemoryWaiter> takeWaitersBeyond(int capacitySlabs) {
    List<MemoryWaiter> taken = new ArrayList<>();
    for (MemoryUse usage : List.copyOf(waiting)) {
      for (MemoryWaiter waiter : List.copyOf(usage.queue)) {
        if (waiter.slabs > capacitySlabs) {
          usage.queue.remove(waiter);
          taken.add(waiter);
        }
      }
      if (usage.queue.isEmpty()) {
        waiting.remove(usage);
        forgetIfIdle(usage);
      }
    }
    return taken;
  }

  @GuardedBy("lock")
  private void forgetIfIdle(MemoryUse usage) {
    if (usage.slabs == 0 && usage.queue.isEmpty() && usage.grants == 0) {
      usages.remove(usage.application, usage);
    }
  }

  /**
   * The application whose first waiter is served next, or null when nobody waits but those whom
   * their limit holds back.
   */
  @GuardedBy("lock")
  private MemoryUse nextToServe() {
    MemoryUse next = null;
    for (MemoryUse usage : waiting) {
      if ((next == null || usage.slabs + usage.grantedSlabs < next.slabs + next.grantedSlabs)
          && !isHeldBack(usage, usage.queue.peekFirst().slabs)) {
        next = usage;
      }
    }
    return next;
  }

  /**
   * Grants free memory in fair order, and stops at the first waiter for whom it does not suffice: a
   * large body is not starved by small ones.
   */
  @GuardedBy("lock")
  private List<MemoryWaiter> grantWhatFits() {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<MemoryWaiter> called = new ArrayList<>();
    MemoryUse next = nextToServe();
    while (next != null && mayBeGranted(next)) {
      MemoryWaiter waiter = next.queue.removeFirst();
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

  /** Slabs that must be free for the first of an application's waiters. */
  @GuardedBy("lock")
  private int wantedSlabs(MemoryUse usage) {
    int slabs = usage.queue.peekFirst().slabs;
    return needsReserve(usage, slabs)
        ? Math.min(arena.capacitySlabs(), slabs + reservedSlabs())
        : slabs;
  }

  @GuardedBy("lock")
  private boolean mayBeGranted(MemoryUse usage) {
    int slabs = usage.queue.peekFirst().slabs;
    return slabs <= freeSlabs() && !needsReserve(usage, slabs);
  }

  @GuardedBy("lock")
  private boolean claimGrant(MemoryUse usage, int slabs) {
    if (usage.grants == 0) {
      return false;
    }
    for (MemoryWaiter waiter : granted) {
      if (waiter.use == usage && waiter.slabs == slabs) {
        granted.remove(waiter);
        endGrant(waiter);
        return true;
      }
    }
    return false;
  }

  @GuardedBy("lock")
  private void endGrant(MemoryWaiter waiter) {
    waiter.holdsGrant = false;
    waiter.use.grants--;
    waiter.use.grantedSlabs -= waiter.slabs;
    grantedSlabs -= waiter.slabs;
  }

  private void cancel(MemoryWaiter waiter) {
    List<MemoryWaiter> called;
    synchronized (lock) {
      MemoryUse usage = waiter.use;
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

  private static void call(List<MemoryWaiter> waiters) {
    for (MemoryWaiter waiter : waiters) {
      waiter.retry.run();
    }
  }
}
