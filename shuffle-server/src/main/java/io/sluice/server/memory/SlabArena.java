package io.sluice.server.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Off-heap memory divided into slabs of one size. Chunks of slabs are allocated on demand, up to
 * the capacity, and freed by {@link #close}. Free slabs are reused last in, first out, so that low
 * usage keeps few pages resident.
 *
 * <p>Chunks are direct buffers and count against {@code -XX:MaxDirectMemorySize}, which must be
 * large enough for the capacity and for Netty's buffers. If the JVM refuses a chunk, the allocated
 * slabs become the capacity until a retry succeeds. The first retry is after {@link
 * #FIRST_RETRY_NANOS}, and the delay doubles after each failure. A refusal takes half a second and
 * a garbage collection, so retries run without the lock: {@link #beginRetry}, {@link #allocate},
 * {@link #endRetry}.
 *
 * <p>Not thread-safe, except for {@link #allocate}: {@link MemoryBudget} guards it with its lock.
 */
final class SlabArena {
  private static final Logger LOG = LoggerFactory.getLogger(SlabArena.class);

  /** Large enough for few allocations, small enough not to allocate much memory too early. */
  private static final int CHUNK_BYTES = 16 << 20;

  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long MAX_RETRY_NANOS = TimeUnit.SECONDS.toNanos(256);

  /** After this time without a refusal, the retry delay starts at its first value again. */
  private static final long RETRY_RESET_NANOS = 4 * MAX_RETRY_NANOS;

  private final int slabBytes;
  private final int slabsPerChunk;
  private final IntFunction<ByteBuffer> allocator;
  private final LongSupplier nanoTime;
  private final List<ByteBuffer> chunks = new ArrayList<>();
  // Configured capacity; 0 when closed.
  private int wantedSlabs;
  // True from a refused chunk until the next allocated one.
  private boolean refused;
  private boolean retrying;
  private long refusedAtNanos;
  private long retryNanos;
  private int[] freeSlabs = new int[64];
  private int freeCount;
  private int cutSlabs;

  /**
   * @param allocator allocates a chunk of the given size in bytes, or throws {@link
   *     OutOfMemoryError}
   * @param nanoTime monotonic clock, for retries
   */
  SlabArena(
      int slabBytes, int capacitySlabs, IntFunction<ByteBuffer> allocator, LongSupplier nanoTime) {
    this.allocator = allocator;
    this.nanoTime = nanoTime;
    this.slabBytes = slabBytes;
    this.wantedSlabs = capacitySlabs;
    this.slabsPerChunk = Math.max(1, Math.min(capacitySlabs, CHUNK_BYTES / slabBytes));
  }

  /** Current capacity in slabs: less than configured while the JVM refuses memory. */
  int capacitySlabs() {
    return refused ? cutSlabs : wantedSlabs;
  }

  /** Ensures that {@code count} slabs are free; false if the JVM refuses memory for them. */
  boolean ensureFree(int count) {
    while (freeCount < count) {
      int bytes = refused ? 0 : nextChunkBytes();
      if (bytes == 0) {
        return false;
      }
      ByteBuffer chunk = allocate(bytes);
      if (chunk == null) {
        refuse();
        return false;
      }
      cut(chunk);
    }
    return true;
  }

  /**
   * Returns the bytes of a chunk to retry now, or 0 if no retry is due. After a retry began, the
   * caller calls {@link #allocate} and {@link #endRetry}.
   */
  int beginRetry() {
    if (!refused || retrying || nanoTime.getAsLong() - refusedAtNanos < retryNanos) {
      return 0;
    }
    int bytes = nextChunkBytes();
    retrying = bytes > 0;
    return bytes;
  }

  /** Allocates a chunk; returns null if the JVM refuses it. Does not change the arena. */
  ByteBuffer allocate(int bytes) {
    try {
      return allocator.apply(bytes);
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /**
   * @param chunk this method takes ownership; null if the JVM refused it
   */
  void endRetry(ByteBuffer chunk) {
    retrying = false;
    if (wantedSlabs == 0) {
      return;
    }
    if (chunk == null) {
      refuse();
      return;
    }
    refused = false;
    cut(chunk);
    LOG.info("memory arena can grow again arenaBytes={}", (long) cutSlabs * slabBytes);
  }

  /** Takes a free slab and returns its index. Requires a successful {@link #ensureFree}. */
  int take() {
    return freeSlabs[--freeCount];
  }

  void release(int slab) {
    freeSlabs[freeCount++] = slab;
  }

  /** Memory of a slab, from position 0 to its size. */
  ByteBuffer memory(int slab) {
    return chunks.get(slab / slabsPerChunk).slice((slab % slabsPerChunk) * slabBytes, slabBytes);
  }

  /** Drops the memory, which is freed when the last slab in use is released. */
  void close() {
    chunks.clear();
    freeCount = 0;
    cutSlabs = 0;
    wantedSlabs = 0;
  }

  /** Size of the next chunk; 0 if the arena has its full capacity or is closed. */
  private int nextChunkBytes() {
    return Math.max(0, Math.min(slabsPerChunk, wantedSlabs - cutSlabs)) * slabBytes;
  }

  private void refuse() {
    long now = nanoTime.getAsLong();
    boolean again = retryNanos > 0 && now - refusedAtNanos < RETRY_RESET_NANOS;
    retryNanos = again ? Math.min(MAX_RETRY_NANOS, 2 * retryNanos) : FIRST_RETRY_NANOS;
    refusedAtNanos = now;
    if (!refused) {
      LOG.warn(
          "memory arena cannot grow: the JVM refuses direct memory; the server"
              + " retries, raise -XX:MaxDirectMemorySize if this persists wantedBytes={}"
              + " arenaBytes={}",
          (long) wantedSlabs * slabBytes,
          (long) cutSlabs * slabBytes);
    }
    refused = true;
  }

  private void cut(ByteBuffer chunk) {
    chunks.add(chunk);
    int slabs = chunk.capacity() / slabBytes;
    int first = cutSlabs;
    cutSlabs += slabs;
    if (freeSlabs.length < cutSlabs) {
      freeSlabs = Arrays.copyOf(freeSlabs, Math.max(cutSlabs, freeSlabs.length * 2));
    }
    // Pushed in reverse order, so that slabs are taken by ascending address.
    for (int slab = cutSlabs - 1; slab >= first; slab--) {
      freeSlabs[freeCount++] = slab;
    }
  }
}
