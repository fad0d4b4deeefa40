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
 * Off-heap memory cut into slabs of one size. Chunks of slabs are allocated when first needed, up
 * to the capacity, and kept until {@link #close}; a free slab is reused last in, first out, so that
 * a server that uses little keeps little resident.
 *
 * <p>Chunks are plain direct buffers and so count against {@code -XX:MaxDirectMemorySize}, which
 * must leave room for the capacity and for Netty's own buffers. If the JVM refuses a chunk, what
 * there is becomes the capacity, until a retry gets that chunk: the first after {@link
 * #FIRST_RETRY_NANOS}, each further one after twice the time. A refusal takes the JVM half a second
 * and a garbage collection, so retries are made without the lock: {@link #beginRetry}, {@link
 * #allocate}, {@link #endRetry}.
 *
 * <p>Not thread-safe, but for {@link #allocate}: {@link MemoryBudget} guards it with its lock.
 */
final class SlabArena {
  private static final Logger LOG = LoggerFactory.getLogger(SlabArena.class);

  /** Few enough chunks to be cheap to allocate, small enough not to take much too early. */
  private static final int CHUNK_BYTES = 16 << 20;

  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(256);

  /** A refusal so long after the last one begins with the first retry time again. */
  private static final long CALM_NANOS = 4 * LAST_RETRY_NANOS;

  private final int slabBytes;
  private final int slabsPerChunk;
  private final IntFunction<ByteBuffer> allocator;
  private final LongSupplier nanoTime;
  private final List<ByteBuffer> chunks = new ArrayList<>();
  // 0 once closed.
  private int wantedSlabs;
  // Since the JVM refused a chunk, until it gives one.
  private boolean refused;
  private boolean retrying;
  private long refusedAtNanos;
  private long retryNanos;
  private int[] freeSlabs = new int[64];
  private int freeCount;
  private int cutSlabs;

  /**
   * @param allocator gives a chunk of so many bytes, or throws {@link OutOfMemoryError}
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

  /** Slabs there may be: fewer than configured while the JVM refuses more. */
  int capacitySlabs() {
    return refused ? cutSlabs : wantedSlabs;
  }

  /** Makes sure that {@code count} slabs can be taken; false if the JVM has no memory for them. */
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
   * Bytes of a chunk to try again to allocate now; 0 if there is none. If there is, {@link
   * #allocate} and then {@link #endRetry} must follow.
   */
  int beginRetry() {
    if (!refused || retrying || nanoTime.getAsLong() - refusedAtNanos < retryNanos) {
      return 0;
    }
    int bytes = nextChunkBytes();
    retrying = bytes > 0;
    return bytes;
  }

  /** A chunk, or null if the JVM refuses it. Touches nothing of the arena. */
  ByteBuffer allocate(int bytes) {
    try {
      return allocator.apply(bytes);
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /**
   * @param chunk takes; null if it was refused
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
    LOG.info("arena can grow again haveBytes={}", (long) cutSlabs * slabBytes);
  }

  /** Number of a free slab; {@link #ensureFree} has been called. */
  int take() {
    return freeSlabs[--freeCount];
  }

  void giveBack(int slab) {
    freeSlabs[freeCount++] = slab;
  }

  /** The memory of a slab, from position 0 to its size. */
  ByteBuffer memory(int slab) {
    return chunks.get(slab / slabsPerChunk).slice((slab % slabsPerChunk) * slabBytes, slabBytes);
  }

  /** Forgets the memory, which goes back to the system when no slab is in use any more. */
  void close() {
    chunks.clear();
    freeCount = 0;
    cutSlabs = 0;
    wantedSlabs = 0;
  }

  /** 0 when the arena has all it is to have, or is closed. */
  private int nextChunkBytes() {
    return Math.max(0, Math.min(slabsPerChunk, wantedSlabs - cutSlabs)) * slabBytes;
  }

  private void refuse() {
    long now = nanoTime.getAsLong();
    boolean again = retryNanos > 0 && now - refusedAtNanos < CALM_NANOS;
    retryNanos = again ? Math.min(LAST_RETRY_NANOS, 2 * retryNanos) : FIRST_RETRY_NANOS;
    refusedAtNanos = now;
    if (!refused) {
      LOG.warn(
          "arena cannot grow, trying again; if this lasts, raise -XX:MaxDirectMemorySize"
              + " wantedBytes={} haveBytes={}",
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
    // Pushed in reverse, so that they are taken in order of address.
    for (int slab = cutSlabs - 1; slab >= first; slab--) {
      freeSlabs[freeCount++] = slab;
    }
  }
}
