package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.sluice.client.read.LocatedFile.Place;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.proto.PartitionState;
import io.sluice.proto.SliceMark;
import java.util.ArrayList;
import java.util.List;

/**
 * Reading one partition from one server, after its Open: which stretches to fetch, how far they
 * have been taken apart, and the piece of a block that a slice ended in. Belongs to one thread.
 */
final class PartitionVisit {
  private final PartitionProgress progress;
  private final ReadServer server;
  private List<Stretch> stretches = List.of();
  private long length;
  private int generation;
  private long outstandingBytes;
  private ByteBuf carry;
  private long carryOffset;
  private long damageOffset = -1;
  private int damages;
  private boolean ended;
  private Reason shortfall = Reason.INCOMPLETE;
  private String shortfallDetail = "";

  /**
   * Logical bytes {@code offset..offset+length-1} of the partition.
   *
   * @param place of the first byte in a file, in which the others follow; null if they are fetched
   */
  record Stretch(long offset, long length, Place place) {
    long end() {
      return offset + length;
    }

    /** Adds a stretch if it has bytes; to the last one if it continues that. */
    static void append(List<Stretch> stretches, long offset, long length, Place place) {
      if (length <= 0) {
        return;
      }
      Stretch before = stretches.isEmpty() ? null : stretches.get(stretches.size() - 1);
      if (before != null && before.end() == offset && continues(before, place)) {
        stretches.set(
            stretches.size() - 1,
            new Stretch(before.offset(), before.length() + length, before.place()));
      } else {
        stretches.add(new Stretch(offset, length, place));
      }
    }

    private static boolean continues(Stretch before, Place place) {
      return before.place() == null
          ? place == null
          : before.place().leadsTo(place, before.length());
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

  /** What to fetch, as the server's reply says. */
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
    stretches = placement.place(state, wanted);
    outstandingBytes = stretches.stream().mapToLong(Stretch::length).sum();
  }

  List<Stretch> stretches() {
    return stretches;
  }

  /** Bytes that the server said it has. */
  long length() {
    return length;
  }

  /** Parts of slices that were asked for under another number are to be skipped. */
  int generation() {
    return generation;
  }

  /** Forgets what is on its way and asks again for everything from an offset on. */
  void restartFrom(long offset) {
    generation++;
    releaseCarry();
    List<Stretch> left = new ArrayList<>();
    for (Stretch stretch : stretches) {
      long from = Math.max(offset, stretch.offset());
      // Where a file had damaged bytes the server may have others, on another disk.
      Stretch.append(left, from, stretch.end() - from, null);
    }
    stretches = left;
    outstandingBytes = left.stream().mapToLong(Stretch::length).sum();
  }

  void taken(int bytes) {
    outstandingBytes -= bytes;
  }

  boolean isRead() {
    return outstandingBytes <= 0;
  }

  /** Nothing more is wanted of this server. */
  void end() {
    ended = true;
    generation++;
    outstandingBytes = 0;
    releaseCarry();
  }

  boolean isEnded() {
    return ended;
  }

  /** Bytes of a block whose rest is in a later slice; null if there are none. */
  ByteBuf carry() {
    return carry;
  }

  /** Logical offset of the carried block. */
  long carryOffset() {
    return carryOffset;
  }

  /**
   * @param buffer takes
   */
  void startCarry(ByteBuf buffer, long offset) {
    carry = buffer;
    carryOffset = offset;
  }

  void releaseCarry() {
    if (carry != null) {
      carry.release();
      carry = null;
    }
  }

  /** Notes damage; gives how often this place has been found damaged in a row. */
  int damaged(long offset, String said) {
    shortfall = Reason.CORRUPT;
    shortfallDetail = said;
    damages = damageOffset == offset ? damages + 1 : 1;
    damageOffset = offset;
    return damages;
  }

  /** Why the partition will not be whole after this visit, if it will not. */
  void shortfall(Reason reason, String said) {
    shortfall = reason;
    shortfallDetail = said;
  }

  Reason shortfallReason() {
    return shortfall;
  }

  String shortfallDetail() {
    return shortfallDetail;
  }
}
