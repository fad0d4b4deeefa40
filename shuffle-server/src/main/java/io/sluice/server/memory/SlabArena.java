package io.sluice.server.memory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Off-heap memory cut into slabs of one size. Chunks of slabs are allocated when first needed, up
 * to the capacity, and kept until {@link #close}; a free slab is reused last in, first out, so that
 * a server that uses little keeps little resident.
 *
 * <p>Chunks are plain direct buffers and so count against {@code -XX:MaxDirectMemorySize}, which
 * must leave room for the capacity and for Netty's own buffers. If the JVM refuses a chunk, the
 * arena goes on with what it has and says so once.
 *
 * <p>Not thread-safe: {@link MemoryBudget} guards it with its lock.
 */
final class SlabArena {
  private static final Logger LOG = LoggerFactory.getLogger(SlabArena.class);

  /** Few enough chunks to be cheap to allocate, small enough not to take much too early. */
  private static final int CHUNK_BYTES = 16 << 20;

  private final int slabBytes;
  private final int slabsPerChunk;
  private final IntFunction<ByteBuffer> allocator;
  private final List<ByteBuffer> chunks = new ArrayList<>();
  private int capacitySlabs;
  private int[] freeSlabs = new int[64];
  private int freeCount;
  private int cutSlabs;

  /**
   * @param allocator gives a chunk of so many bytes, or throws {@link OutOfMemoryError}
   */
  SlabArena(int slabBytes, int capacitySlabs, IntFunction<ByteBuffer> allocator) {
    this.allocator = allocator;
    this.slabBytes = slabBytes;
    this.capacitySlabs = capacitySlabs;
    this.slabsPerChunk = Math.max(1, Math.min(capacitySlabs, CHUNK_BYTES / slabBytes));
  }

  /** Slabs there may be, less than was asked for once the JVM has refused a chunk. */
  int capacitySlabs() {
    return capacitySlabs;
  }

  /** Makes sure that {@code count} slabs can be taken; false if the JVM has no memory for them. */
  boolean ensureFree(int count) {
    while (freeCount < count) {
      int more = Math.min(slabsPerChunk, capacitySlabs - cutSlabs);
      if (more <= 0 || !cutChunk(more)) {
        return false;
      }
    }
    return true;
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
    capacitySlabs = 0;
  }

  private boolean cutChunk(int slabs) {
    try {
      chunks.add(allocator.apply(slabs * slabBytes));
    } catch (OutOfMemoryError e) {
      LOG.warn(
          "arena cannot grow, raise -XX:MaxDirectMemorySize wantedBytes={} haveBytes={}",
          (long) capacitySlabs * slabBytes,
          (long) cutSlabs * slabBytes);
      capacitySlabs = cutSlabs;
      return false;
    }
    int first = cutSlabs;
    cutSlabs += slabs;
    if (freeSlabs.length < cutSlabs) {
      freeSlabs = Arrays.copyOf(freeSlabs, Math.max(cutSlabs, freeSlabs.length * 2));
    }
    // Pushed in reverse, so that they are taken in order of address.
    for (int slab = cutSlabs - 1; slab >= first; slab--) {
      freeSlabs[freeCount++] = slab;
    }
    return true;
  }
}
