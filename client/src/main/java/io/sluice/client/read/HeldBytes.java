package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.HashSet;
import java.util.Set;

/**
 * Copies of payloads that wait for their turn. They are appended to chunks of direct memory, which
 * the {@link SliceBudget} counts beside the slices. A chunk is released with its last payload.
 * Owned by the task thread.
 */
final class HeldBytes {
  private static final int FIRST_CHUNK_BYTES = 16 << 10;

  /** A longer payload has a chunk of its own, so that little of a chunk stays unused. */
  private static final int MAX_SHARED_BYTES = 32 << 10;

  private final ByteBufAllocator allocator;
  private final SliceBudget budget;
  private final int maxChunkBytes;
  private final Set<Chunk> chunks = new HashSet<>();
  private Chunk current;
  private int nextChunkBytes = FIRST_CHUNK_BYTES;

  /**
   * @param sliceBytes maximum bytes of one slice; a chunk has a small part of that
   */
  HeldBytes(ByteBufAllocator allocator, SliceBudget budget, int sliceBytes) {
    this.maxChunkBytes = Math.max(FIRST_CHUNK_BYTES, sliceBytes / 16);
    this.allocator = allocator;
    this.budget = budget;
    budget.mayHold(true);
  }

  /** Memory of several payloads. */
  static final class Chunk {
    private final ByteBuf bytes;
    private int payloads;

    private Chunk(ByteBuf bytes) {
      this.bytes = bytes;
    }

    ByteBuf bytes() {
      return bytes;
    }
  }

  /**
   * Returns the chunk for a payload, which the caller appends to it; null if the process has no
   * memory for it. Each returned chunk needs one {@link #release}.
   */
  Chunk reserve(int length) {
    Chunk chunk = length > MAX_SHARED_BYTES ? allocate(length) : shared(length);
    if (chunk != null) {
      chunk.payloads++;
    }
    return chunk;
  }

  private Chunk shared(int length) {
    if (current != null && current.bytes.capacity() - current.bytes.writerIndex() >= length) {
      return current;
    }
    Chunk next = allocate(Math.max(length, nextChunkBytes));
    if (next == null) {
      return null;
    }
    nextChunkBytes = Math.min(maxChunkBytes, nextChunkBytes * 2);
    Chunk full = current;
    current = next;
    if (full != null && full.payloads == 0) {
      free(full);
    }
    return next;
  }

  private Chunk allocate(int capacity) {
    if (!budget.hasRoomToHold(capacity)) {
      return null;
    }
    Chunk made = new Chunk(allocator.directBuffer(capacity, capacity));
    chunks.add(made);
    budget.hold(capacity);
    return made;
  }

  /** Releases one payload of a chunk; returns whether memory was released. */
  boolean release(Chunk chunk) {
    if (--chunk.payloads > 0 || chunk == current) {
      return false;
    }
    free(chunk);
    return true;
  }

  private void free(Chunk chunk) {
    chunks.remove(chunk);
    budget.unhold(chunk.bytes.capacity());
    chunk.bytes.release();
  }

  /** No more payloads are reserved. */
  void end() {
    budget.mayHold(false);
    Chunk last = current;
    current = null;
    if (last != null && last.payloads == 0) {
      free(last);
    }
  }

  /** Releases everything. Idempotent. */
  void clear() {
    current = null;
    Set.copyOf(chunks).forEach(this::free);
  }
}
