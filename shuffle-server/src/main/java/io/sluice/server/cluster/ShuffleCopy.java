package io.sluice.server.cluster;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.RateLimiter;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.OpenSnapshot;
import io.sluice.server.log.OpenSnapshot.Stretch;
import io.sluice.server.log.ShuffleLog;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * The copy of one shuffle at one target. Each pass copies the data added since the previous pass.
 * Blocks are sent unchanged; the target drops duplicates. Lost ranges are skipped. Belongs to one
 * thread at a time, except {@link #position}.
 */
final class ShuffleCopy {
  /** Maximum partitions per snapshot, to bound the time under the log's lock to well under 1 ms. */
  private static final int PARTITIONS_PER_SNAPSHOT = 512;

  private final ShuffleLog log;
  private final LogReader reader;
  private final RateLimiter rate;
  private final LongConsumer onMoved;

  /** Copied length of each partition, always at a block boundary. */
  private final Map<Integer, Long> copied = new HashMap<>();

  private final AtomicLong position = new AtomicLong();

  /** Bytes of a partition between two block boundaries that remain to be copied. */
  private record Remaining(int partition, long offset, long length) {}

  /**
   * @param onMoved called with the number of bytes that the target has accepted
   */
  ShuffleCopy(ShuffleLog log, LogReader reader, RateLimiter rate, LongConsumer onMoved) {
    this.log = log;
    this.reader = reader;
    this.rate = rate;
    this.onMoved = onMoved;
  }

  /** Copied bytes of all partitions, including skipped ones. */
  long position() {
    return position.get();
  }

  /**
   * Copies the data added since the previous pass.
   *
   * @return bytes accepted by the target
   * @throws UnreadableException if local data cannot be read
   * @throws IOException if the target refuses the data or does not answer
   */
  long pass(MoveTarget target) throws IOException, InterruptedException {
    Deque<Remaining> remaining = new ArrayDeque<>();
    int[] partitions = log.partitions();
    for (int from = 0; from < partitions.length; from += PARTITIONS_PER_SNAPSHOT) {
      int[] some =
          Arrays.copyOfRange(
              partitions, from, Math.min(partitions.length, from + PARTITIONS_PER_SNAPSHOT));
      OpenSnapshot snapshot = log.snapshot(some, false);
      if (snapshot == null) {
        return 0;
      }
      for (int i = 0; i < some.length; i++) {
        if (snapshot.partitions().get(i) != null) {
          addRemaining(some[i], snapshot.partitions().get(i), remaining);
        }
      }
    }
    long bytes = 0;
    int frameBytes = Math.min(MoveConfig.FRAME_BYTES, target.maxBodyBytes());
    while (!remaining.isEmpty()) {
      bytes += frame(target, remaining, frameBytes);
    }
    return bytes;
  }

  private void addRemaining(
      int partition, OpenSnapshot.Partition found, Deque<Remaining> remaining) {
    long at = copied.getOrDefault(partition, 0L);
    for (Stretch lost : found.lost()) {
      if (lost.end() <= at) {
        continue;
      }
      if (lost.offset() > at) {
        remaining.add(new Remaining(partition, at, lost.offset() - at));
      }
      at = lost.end();
    }
    if (found.length() > at) {
      remaining.add(new Remaining(partition, at, found.length() - at));
    } else {
      advance(partition, at);
    }
  }

  private void advance(int partition, long to) {
    Long before = copied.put(partition, to);
    position.addAndGet(to - (before == null ? 0 : before));
  }

  /** Sends the first remaining ranges as one frame. */
  private long frame(MoveTarget target, Deque<Remaining> remaining, int frameBytes)
      throws IOException, InterruptedException {
    ByteBuf body = read(remaining, frameBytes);
    try {
      List<Remaining> done = new ArrayList<>();
      int length = wholeBlocks(body, remaining, done);
      if (length == 0) {
        // A block that exceeds the frame size is sent alone.
        long needed = claimedLength(body, remaining.peek());
        if (needed > target.maxBodyBytes()) {
          throw new UnreadableException(
              "block of "
                  + needed
                  + " bytes exceeds the maximum body of the target, "
                  + target.maxBodyBytes()
                  + " bytes",
              null);
        }
        body.release();
        body = null;
        body = read(remaining, (int) needed);
        length = wholeBlocks(body, remaining, done);
      }
      TimeUnit.NANOSECONDS.sleep(rate.take(length));
      target.push(log.key(), body.slice(0, length));
      done.forEach(one -> taken(one, remaining));
      onMoved.accept(length);
      return length;
    } finally {
      if (body != null) {
        body.release();
      }
    }
  }

  private void taken(Remaining part, Deque<Remaining> remaining) {
    Remaining first = remaining.remove();
    if (part.length() < first.length()) {
      remaining.addFirst(
          new Remaining(
              first.partition(), first.offset() + part.length(), first.length() - part.length()));
    }
    advance(part.partition(), part.offset() + part.length());
  }

  private ByteBuf read(Deque<Remaining> remaining, int limit)
      throws IOException, InterruptedException {
    List<LogRange> ranges = new ArrayList<>();
    long bytes = 0;
    for (Remaining one : remaining) {
      long part = Math.min(one.length(), limit - bytes);
      if (part <= 0) {
        break;
      }
      ranges.add(new LogRange(one.partition(), one.offset(), part));
      bytes += part;
    }
    try {
      return reader.read(log, ranges);
    } catch (SluiceException e) {
      throw new UnreadableException(e.getMessage(), e);
    }
  }

  /**
   * Verifies the complete blocks in a body; only the last range may end inside a block.
   *
   * @param done receives the ranges of these blocks
   * @return total length of these blocks
   */
  private int wholeBlocks(ByteBuf body, Deque<Remaining> remaining, List<Remaining> done)
      throws UnreadableException {
    int start = 0;
    for (Remaining one : remaining) {
      long end = Math.min(body.writerIndex(), start + one.length());
      int at = start;
      while (end - at >= BlockHeader.LENGTH) {
        long length = BlockHeader.claimedLength(body, at);
        long room = one.length() - (at - start);
        if (length < BlockHeader.LENGTH || length > room) {
          throw damaged(one, at - start, "invalid block length " + length, null);
        }
        if (length > end - at) {
          break;
        }
        verify(body, at, (int) length, one, start);
        at += (int) length;
      }
      if (at > start) {
        done.add(new Remaining(one.partition(), one.offset(), at - start));
      }
      if (at - start < one.length()) {
        return at;
      }
      start = at;
    }
    return start;
  }

  private void verify(ByteBuf body, int at, int length, Remaining of, int start)
      throws UnreadableException {
    BlockHeader header;
    try {
      header = BlockFormat.readVerified(body, at, at + length);
    } catch (BlockFormatException e) {
      throw damaged(of, at - start, e.getMessage(), e);
    }
    if (header.partition() != of.partition()) {
      throw damaged(of, at - start, "the block belongs to partition " + header.partition(), null);
    }
  }

  private long claimedLength(ByteBuf body, Remaining first) throws UnreadableException {
    if (body.writerIndex() < BlockHeader.LENGTH) {
      throw damaged(first, 0, "data ends inside a block", null);
    }
    return BlockHeader.claimedLength(body, 0);
  }

  /** Reports the damage: if it is in the file, the next pass skips the lost block. */
  private UnreadableException damaged(Remaining of, long at, String what, Throwable cause) {
    reader.reports().report(log, of.partition(), of.offset() + at);
    return new UnreadableException(
        "partition " + of.partition() + " is damaged at byte " + (of.offset() + at) + ": " + what,
        cause);
  }
}
