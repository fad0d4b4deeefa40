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
 * The copy of one shuffle at one target, pass by pass: each brings what has come since the one
 * before. Blocks go as they came; the target drops those that it has. A stretch that was lost with
 * a disk is left out, as readers would. Belongs to one thread at a time, but for {@link #position}.
 */
final class ShuffleCopy {
  /** Keeps the log's lock for well under a millisecond. */
  private static final int PARTITIONS_AT_ONCE = 512;

  private final ShuffleLog log;
  private final LogReader reader;
  private final RateLimiter rate;
  private final LongConsumer onMoved;

  /** How far each partition has been copied: block boundaries. */
  private final Map<Integer, Long> copied = new HashMap<>();

  private final AtomicLong position = new AtomicLong();

  /** Bytes of a partition between two block boundaries that are still to be copied. */
  private record Left(int partition, long offset, long length) {}

  /**
   * @param onMoved told of bytes that the target has taken
   */
  ShuffleCopy(ShuffleLog log, LogReader reader, RateLimiter rate, LongConsumer onMoved) {
    this.log = log;
    this.reader = reader;
    this.rate = rate;
    this.onMoved = onMoved;
  }

  /** Bytes of all partitions that are behind the copy. */
  long position() {
    return position.get();
  }

  /**
   * Copies what there is beyond the pass before.
   *
   * @return bytes that the target took
   * @throws UnreadableException something cannot be read here
   * @throws IOException the target refuses, or does not answer
   */
  long pass(MoveTarget target) throws IOException, InterruptedException {
    Deque<Left> left = new ArrayDeque<>();
    int[] partitions = log.partitions();
    for (int from = 0; from < partitions.length; from += PARTITIONS_AT_ONCE) {
      int[] some =
          Arrays.copyOfRange(
              partitions, from, Math.min(partitions.length, from + PARTITIONS_AT_ONCE));
      OpenSnapshot snapshot = log.snapshot(some, false);
      if (snapshot == null) {
        return 0;
      }
      for (int i = 0; i < some.length; i++) {
        if (snapshot.partitions().get(i) != null) {
          addLeft(some[i], snapshot.partitions().get(i), left);
        }
      }
    }
    long bytes = 0;
    int frameBytes = Math.min(MoveConfig.FRAME_BYTES, target.maxBodyBytes());
    while (!left.isEmpty()) {
      bytes += frame(target, left, frameBytes);
    }
    return bytes;
  }

  private void addLeft(int partition, OpenSnapshot.Partition found, Deque<Left> left) {
    long at = copied.getOrDefault(partition, 0L);
    for (Stretch lost : found.lost()) {
      if (lost.end() <= at) {
        continue;
      }
      if (lost.offset() > at) {
        left.add(new Left(partition, at, lost.offset() - at));
      }
      at = lost.end();
    }
    if (found.length() > at) {
      left.add(new Left(partition, at, found.length() - at));
    } else {
      advance(partition, at);
    }
  }

  private void advance(int partition, long to) {
    Long before = copied.put(partition, to);
    position.addAndGet(to - (before == null ? 0 : before));
  }

  /** Sends the first of what is left as one frame. */
  private long frame(MoveTarget target, Deque<Left> left, int frameBytes)
      throws IOException, InterruptedException {
    ByteBuf body = read(left, frameBytes);
    try {
      List<Left> done = new ArrayList<>();
      int length = wholeBlocks(body, left, done);
      if (length == 0) {
        // A block that is larger than a usual frame goes alone.
        long needed = claimedLength(body, left.peek());
        if (needed > target.maxBodyBytes()) {
          throw new UnreadableException(
              "block of " + needed + " bytes, the other server takes " + target.maxBodyBytes(),
              null);
        }
        body.release();
        body = null;
        body = read(left, (int) needed);
        length = wholeBlocks(body, left, done);
      }
      TimeUnit.NANOSECONDS.sleep(rate.take(length));
      target.push(log.key(), body.slice(0, length));
      done.forEach(one -> taken(one, left));
      onMoved.accept(length);
      return length;
    } finally {
      if (body != null) {
        body.release();
      }
    }
  }

  private void taken(Left part, Deque<Left> left) {
    Left first = left.remove();
    if (part.length() < first.length()) {
      left.addFirst(
          new Left(
              first.partition(), first.offset() + part.length(), first.length() - part.length()));
    }
    advance(part.partition(), part.offset() + part.length());
  }

  private ByteBuf read(Deque<Left> left, int limit) throws IOException, InterruptedException {
    List<LogRange> ranges = new ArrayList<>();
    long bytes = 0;
    for (Left one : left) {
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
   * Verifies the blocks that are whole in a body: only the last stretch may be cut.
   *
   * @param done gets the stretches that they are
   * @return their bytes, from the begin of the body
   */
  private static int wholeBlocks(ByteBuf body, Deque<Left> left, List<Left> done)
      throws UnreadableException {
    int start = 0;
    for (Left one : left) {
      long end = Math.min(body.writerIndex(), start + one.length());
      int at = start;
      while (end - at >= BlockHeader.LENGTH) {
        long length = BlockHeader.claimedLength(body, at);
        long room = one.length() - (at - start);
        if (length < BlockHeader.LENGTH || length > room) {
          throw damaged(one, at - start, "block length " + length + " cannot be", null);
        }
        if (length > end - at) {
          break;
        }
        verify(body, at, (int) length, one, start);
        at += (int) length;
      }
      if (at > start) {
        done.add(new Left(one.partition(), one.offset(), at - start));
      }
      if (at - start < one.length()) {
        return at;
      }
      start = at;
    }
    return start;
  }

  private static void verify(ByteBuf body, int at, int length, Left of, int start)
      throws UnreadableException {
    BlockHeader header;
    try {
      header = BlockFormat.readVerified(body, at, at + length);
    } catch (BlockFormatException e) {
      throw damaged(of, at - start, e.getMessage(), e);
    }
    if (header.partition() != of.partition()) {
      throw damaged(of, at - start, "block is of partition " + header.partition(), null);
    }
  }

  private static long claimedLength(ByteBuf body, Left first) throws UnreadableException {
    if (body.writerIndex() < BlockHeader.LENGTH) {
      throw damaged(first, 0, "data ends inside a block", null);
    }
    return BlockHeader.claimedLength(body, 0);
  }

  private static UnreadableException damaged(Left of, long at, String what, Throwable cause) {
    return new UnreadableException(
        "partition " + of.partition() + " is damaged at byte " + (of.offset() + at) + ": " + what,
        cause);
  }
}
