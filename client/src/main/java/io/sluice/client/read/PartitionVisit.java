package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.sluice.client.read.LocatedFile.Position;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.proto.PartitionState;
import io.sluice.proto.SliceMark;
import java.util.ArrayList;
import java.util.List;

/**
 * Reading of one partition from one server. Stores the stretches to fetch after the Open reply, the
 * number of bytes that are not parsed yet, and the first bytes of a block that continues in the
 * next slice. Owned by the task thread.
 *
 * <pre>
 *                    opened             all bytes parsed, or partition whole
 *  WAITING FOR OPEN --------&gt; READING ---------------------------------------&gt; ENDED
 *         |                    |   ^                                             ^
 *         |                    +---+ restartFrom: new generation                 |
 *         +---------------- server given up, or without data --------------------+
 * </pre>
 */
final class PartitionVisit {
  private final PartitionProgress progress;
  private final ReadServer server;
  private List<Stretch> stretches = List.of();
  private long length;
  private int generation;
  // Logical offset behind the last byte that was parsed.
  private long parsedEnd;
  private long startOffset;
  private int losses;
  private long outstandingBytes;
  private ByteBuf partialBlock;
  private long partialBlockOffset;
  private long damageOffset = -1;
  private int damages;
  private boolean ended;
  private Reason shortfall = Reason.INCOMPLETE;
  private String shortfallDetail = "";

  /**
   * A contiguous byte range of the partition: logical bytes {@code offset..offset+length-1}.
   *
   * @param position position of the first byte in a run file that contains all of them; null if
   *     they are fetched from the server
   */
  record Stretch(long offset, long length, Position position) {
    long end() {
      return offset + length;
    }

    /** Adds a stretch unless it is empty; extends the last one if it continues that. */
    static void append(List<Stretch> stretches, long offset, long length, Position position) {
      if (length <= 0) {
        return;
      }
      Stretch before = stretches.isEmpty() ? null : stretches.get(stretches.size() - 1);
      if (before != null && before.end() == offset && continues(before, position)) {
        stretches.set(
            stretches.size() - 1,
            new Stretch(before.offset(), before.length() + length, before.position()));
      } else {
        stretches.add(new Stretch(offset, length, position));
      }
    }

    private static boolean continues(Stretch before, Position position) {
      return before.position() == null
          ? position == null
          : before.position().isFollowedBy(position, before.length());
    }
  }

  PartitionVisit(PartitionProgress progress, ReadServer server) {
    this.progress = progress;
    this.server = server;
  }

  PartitionProgress progress() {
    return progress;
  }

  int partition() {
    return progress.partition();
  }

  ReadServer server() {
    return server;
  }

  /**
   * Returns a visit of the same server that continues behind the whole blocks of this one. This
   * visit must not have ended yet.
   *
   * @param detail describes the lost bytes
   */
  PartitionVisit continuedAfterLoss(String detail) {
    PartitionVisit next = new PartitionVisit(progress, server);
    next.startOffset = partialBlock == null ? parsedEnd : partialBlockOffset;
    next.parsedEnd = next.startOffset;
    next.losses = next.startOffset > startOffset ? 1 : losses + 1;
    next.shortfall(Reason.LOST, detail);
    return next;
  }

  /** Number of visits in a row that ended by a loss without parsing a block. */
  int losses() {
    return losses;
  }

  /** Sets the stretches to fetch, from the reply of the server. */
  void opened(PartitionState state, ShuffleReadRequest request, StretchPlacement placement) {
    length = state.getLength();
    List<Stretch> wanted = new ArrayList<>();
    if (request.hasMapRange()) {
      for (SliceMark mark : state.getSliceMarksList()) {
        Stretch.append(wanted, mark.getOffset(), mark.getLength(), null);
      }
    } else {
      Stretch.append(wanted, 0, length, null);
    }
    stretches = from(parsedEnd, placement.locate(state, wanted));
    outstandingBytes = stretches.stream().mapToLong(Stretch::length).sum();
  }

  List<Stretch> stretches() {
    return stretches;
  }

  /** Length of the partition at the server, in bytes. */
  long length() {
    return length;
  }

  /** Number of the current generation: parts of slices of another generation are skipped. */
  int generation() {
    return generation;
  }

  /**
   * Starts a new generation: drops slices in flight, and fetches everything from an offset on
   * again.
   */
  void restartFrom(long offset) {
    generation++;
    releasePartialBlock();
    parsedEnd = offset;
    List<Stretch> left = new ArrayList<>();
    for (Stretch stretch : stretches) {
      long from = Math.max(offset, stretch.offset());
      // From the server, not from the file: the server may have an undamaged copy on another disk.
      Stretch.append(left, from, stretch.end() - from, null);
    }
    stretches = left;
    outstandingBytes = left.stream().mapToLong(Stretch::length).sum();
  }

  private static List<Stretch> from(long offset, List<Stretch> stretches) {
    if (offset == 0) {
      return stretches;
    }
    List<Stretch> left = new ArrayList<>();
    for (Stretch stretch : stretches) {
      long skipped = Math.max(0, offset - stretch.offset());
      Position position = stretch.position();
      Stretch.append(
          left,
          stretch.offset() + skipped,
          stretch.length() - skipped,
          position == null || skipped >= stretch.length() ? null : position.plus(skipped));
    }
    return left;
  }

  /**
   * Records parsed bytes.
   *
   * @param end logical offset behind them
   */
  void parsed(int bytes, long end) {
    outstandingBytes -= bytes;
    parsedEnd = end;
  }

  boolean isRead() {
    return outstandingBytes <= 0;
  }

  /** Ends the visit: slices in flight are skipped. */
  void end() {
    ended = true;
    generation++;
    outstandingBytes = 0;
    releasePartialBlock();
  }

  boolean isEnded() {
    return ended;
  }

  /** First bytes of a block that continues in the next slice; null if there is none. */
  ByteBuf partialBlock() {
    return partialBlock;
  }

  /** Logical offset of the partial block. */
  long partialBlockOffset() {
    return partialBlockOffset;
  }

  /**
   * @param buffer takes
   */
  void startPartialBlock(ByteBuf buffer, long offset) {
    partialBlock = buffer;
    partialBlockOffset = offset;
  }

  void releasePartialBlock() {
    if (partialBlock != null) {
      partialBlock.release();
      partialBlock = null;
    }
  }

  /** Whether the bytes from an offset on are fetched because a block there was damaged. */
  boolean isDamagedAt(long offset) {
    return offset == damageOffset;
  }

  /** Records damage; returns how many times in a row the same offset was damaged. */
  int damaged(long offset, String detail) {
    shortfall = Reason.CORRUPT;
    shortfallDetail = detail;
    damages = damageOffset == offset ? damages + 1 : 1;
    damageOffset = offset;
    return damages;
  }

  /** Sets the reason to report if this visit does not complete the partition. */
  void shortfall(Reason reason, String detail) {
    shortfall = reason;
    shortfallDetail = detail;
  }

  Reason shortfallReason() {
    return shortfall;
  }

  String shortfallDetail() {
    return shortfallDetail;
  }
}
