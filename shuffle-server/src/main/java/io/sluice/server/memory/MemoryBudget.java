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
 * The server's memory for blocks: one arena, its usage by application, and the pushes that wait for
 * memory.
 *
 * <p>Usage is counted in slabs: a body of one byte counts as one slab. So resident memory never
 * exceeds the capacity, independent of the sizes that clients send.
 *
 * <p><b>Fairness.</b> Without waiters, memory is allocated in the order of requests. Otherwise
 * freed memory goes to the application with the least usage, and within it to the oldest waiter. A
 * waiter that is called gets a <em>grant</em>: its memory is reserved until its retry. A grant that
 * is not claimed within {@link #GRANT_NANOS} (its connection was closed) is revoked by {@link
 * #expireGrants}.
 *
 * <p><b>Reserve.</b> The share of an application is the capacity divided by the number of
 * applications that use or wait for memory. It is at most half of the capacity. The last {@link
 * #RESERVE_PARTS}th of memory is reserved for applications below their share. So a new application,
 * or one with little data, gets memory immediately while another application uses all memory that
 * spilling frees. The reserve never blocks an application without usage.
 *
 * <p><b>Limits.</b> An application passed to {@link #setLimit} waits while its usage is at the
 * limit, even if memory is free. Other applications do not wait for it. An application without
 * usage never waits for its limit, independent of the size of its body.
 *
 * <p>Invariants: {@code used + granted <= capacity}; {@code used} is the sum over applications; a
 * slab is free or owned by exactly one buffer.
 *
 * <p>Thread-safe, with one lock held for microseconds; callbacks run outside it.
 */
public final class MemoryBudget implements BodyMemory, AutoCloseable {
  static final long GRANT_NANOS = 2_000_000_000L;

  /** A sixteenth of the capacity: some tens of frames on a server with a few GiB. */
  static final int RESERVE_PARTS = 16;

  private final MemoryConfig config;
  private final LongSupplier nanoTime;
  private final Object lock = new Object();

  // Slab memory may be accessed without the lock.
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
   * @param nanoTime monotonic clock, for the expiry of grants
   */
  public MemoryBudget(MemoryConfig config, LongSupplier nanoTime) {
    this(config, nanoTime, ByteBuffer::allocateDirect);
  }

  /** Creates a budget whose arena gets its chunks from the caller, for tests. */
  MemoryBudget(MemoryConfig config, LongSupplier nanoTime, IntFunction<ByteBuffer> chunks) {
    this.config = config;
    this.nanoTime = nanoTime;
    this.arena = new SlabArena(config.slabBytes(), config.capacitySlabs(), chunks, nanoTime);
  }

  /**
   * Sets a listener that is called when usage after an allocation exceeds the high watermark, and
   * when an allocation is refused. It runs on the allocating thread and must only signal another
   * thread.
   */
  public void onPressure(Runnable listener) {
    pressureListener = listener;
  }

  public MemoryConfig config() {
    return config;
  }

  /** Bytes of the budget that a body of {@code length} bytes reserves. */
  public long reservedBytes(int length) {
    return (long) config.slabs(length) * config.slabBytes();
  }

  @Override
  public ByteBuf tryAllocate(String application, int length) {
    if (length < 0 || config.slabs(length) > config.capacitySlabs()) {
      throw new IllegalArgumentException(
          "a body of "
              + length
              + " bytes exceeds the memory capacity of "
              + config.capacityBytes()
              + " bytes");
    }
    if (length == 0) {
      return Unpooled.EMPTY_BUFFER;
    }
    int slabs = config.slabs(length);
    ByteBuf body;
    boolean tight;
    List<MemoryWaiter> neverFitting = List.of();
    synchronized (lock) {
      MemoryUse usage = usage(application);
      boolean mayTake = claimGrant(usage, slabs) || mayTakeFree(usage, slabs);
      int capacity = arena.capacitySlabs();
      body = mayTake && arena.ensureFree(slabs) ? allocate(usage, length, slabs) : null;
      if (arena.capacitySlabs() < capacity) {
        neverFitting = takeWaitersBeyond(arena.capacitySlabs());
      }
      if (body == null) {
        forgetIfIdle(usage);
      }
      tight = body == null || usedBytes() > highBytes() || nearLimit(usage);
    }
    if (tight) {
      pressureListener.run();
    }
    call(neverFitting);
    return body;
  }

  /**
   * Whether a body of {@code length} bytes fits the current capacity of the arena, which is smaller
   * than configured while the JVM refuses direct memory.
   */
  public boolean canFit(int length) {
    synchronized (lock) {
      return config.slabs(length) <= arena.capacitySlabs();
    }
  }

  /**
   * Limits the usage of each of these applications to {@code limitBytes}, and removes the limit of
   * all others. Cheap if nothing changes.
   */
  public void setLimit(Set<String> applications, long limitBytes) {
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
      called = grantFree();
    }
    call(called);
  }

  /** Applications with a body that waits only because of the application's limit. */
  public Set<String> waitingForLimit() {
    synchronized (lock) {
      Set<String> names = new HashSet<>();
      for (MemoryUse usage : waiting) {
        if (exceedsLimit(usage, usage.queue.peekFirst().slabs)) {
          names.add(usage.application);
        }
      }
      return names;
    }
  }

  /** Whether a body of {@code length} bytes must wait because of its application's limit. */
  public boolean exceedsLimit(String application, int length) {
    synchronized (lock) {
      MemoryUse usage = usages.get(application);
      return usage != null && exceedsLimit(usage, config.slabs(length));
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
        // It would wait forever; its retry fails.
        forgetIfIdle(usage);
        called = List.of(waiter);
      } else {
        enqueue(waiter);
        called = grantFree();
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

  /** Bytes of slabs in use; 0 when all bodies are released. */
  public long usedBytes() {
    return (long) usedSlabs.get() * config.slabBytes();
  }

  /** Maximum of the bytes in use since the start. */
  public long peakBytes() {
    return (long) peakSlabs * config.slabBytes();
  }

  public long capacityBytes() {
    return (long) config.capacitySlabs() * config.slabBytes();
  }

  /**
   * Bytes of the arena that the JVM allows to allocate: less than {@link #capacityBytes} after it
   * refused direct memory, until a retry succeeds.
   */
  public long allocatableBytes() {
    synchronized (lock) {
      return (long) arena.capacitySlabs() * config.slabBytes();
    }
  }

  /** Bytes in use by bodies of {@code application}. */
  public long usedBytes(String application) {
    synchronized (lock) {
      MemoryUse usage = usages.get(application);
      return usage == null ? 0 : (long) usage.slabs * config.slabBytes();
    }
  }

  /** Number of bodies that wait for memory. */
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

  /** Calls the listener if memory is tight, because there are new blocks to spill. */
  public void signalIfTight() {
    if (pressure().tight()) {
      pressureListener.run();
    }
  }

  /**
   * Revokes grants that were not claimed in time and calls the next waiters. Must be called
   * periodically while bodies wait.
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
      called = grantFree();
    }
    call(called);
  }

  /**
   * Retries to allocate a chunk that the JVM refused, if the retry is due. This may take a second,
   * without the lock. Must be called periodically.
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
      called = grantFree();
    }
    call(called);
  }

  /** Calls all waiters without a grant: each retries its allocation, and fails or waits again. */
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
   * Closes the arena and drops all waiters. Buffers in use stay valid until they are released.
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

  /**
   * Whether memory may be allocated without a grant: it must be free, not granted to others, and
   * not needed by an earlier waiter.
   */
  @GuardedBy("lock")
  private boolean mayTakeFree(MemoryUse usage, int slabs) {
    if (slabs > freeSlabs() || exceedsLimit(usage, slabs) || needsReserve(usage, slabs)) {
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
      arena.release(slab);
      usedSlabs.decrementAndGet();
      usage.slabs--;
      forgetIfIdle(usage);
      called = grantFree();
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
  private boolean exceedsLimit(MemoryUse usage, int slabs) {
    int taken = usage.slabs + usage.grantedSlabs;
    return usage.limited && taken > 0 && taken + slabs > limitSlabs;
  }

  /** Whether the allocation would use the reserve although the application exceeds its share. */
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

  /** Whether the usage of a limited application is high enough to spill its blocks. */
  @GuardedBy("lock")
  private boolean nearLimit(MemoryUse usage) {
    return usage.limited && usage.slabs > limitSlabs / 4;
  }

  /** Removes waiters that need more slabs than the capacity, and returns them. */
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
   * The application whose first waiter is served next, or null if all waiters wait for their
   * limits.
   */
  @GuardedBy("lock")
  private MemoryUse nextToServe() {
    MemoryUse next = null;
    for (MemoryUse usage : waiting) {
      if ((next == null || usage.slabs + usage.grantedSlabs < next.slabs + next.grantedSlabs)
          && !exceedsLimit(usage, usage.queue.peekFirst().slabs)) {
        next = usage;
      }
    }
    return next;
  }

  /**
   * Grants free memory in fair order. Stops at the first waiter that does not fit, so that small
   * bodies do not starve a large one.
   */
  @GuardedBy("lock")
  private List<MemoryWaiter> grantFree() {
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
      waiter.hasGrant = true;
      next.grants++;
      next.grantedSlabs += waiter.slabs;
      grantedSlabs += waiter.slabs;
      granted.addLast(waiter);
      called.add(waiter);
      next = nextToServe();
    }
    return called;
  }

  /** Number of slabs that must be free for the first waiter of an application. */
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
    waiter.hasGrant = false;
    waiter.use.grants--;
    waiter.use.grantedSlabs -= waiter.slabs;
    grantedSlabs -= waiter.slabs;
  }

  private void cancel(MemoryWaiter waiter) {
    List<MemoryWaiter> called;
    synchronized (lock) {
      MemoryUse usage = waiter.use;
      if (waiter.hasGrant) {
        granted.remove(waiter);
        endGrant(waiter);
      } else if (usage.queue.remove(waiter) && usage.queue.isEmpty()) {
        waiting.remove(usage);
      }
      forgetIfIdle(usage);
      called = grantFree();
    }
    call(called);
  }

  private static void call(List<MemoryWaiter> waiters) {
    for (MemoryWaiter waiter : waiters) {
      waiter.retry.run();
    }
  }
}
