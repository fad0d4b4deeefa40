package io.sluice.client.read;

import io.sluice.client.file.NamedRunFile;
import io.sluice.client.read.LocatedFile.Place;
import io.sluice.client.read.PartitionVisit.Stretch;
import io.sluice.proto.LocatedStretch;
import io.sluice.proto.LostStretch;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Divides what is wanted of partitions by where it is to be had: in files that the client reads
 * itself, at the server, or not at all. For one Open reply.
 */
final class StretchPlacement {
  /**
   * A file is opened for at least this much: getting it costs a round trip, and each piece of it a
   * system call, where a Fetch asks for many pieces at once.
   */
  private static final long MIN_FILE_BYTES = 64 << 10;

  /** A read opens no more of one server's files. */
  private static final int MAX_FILES = 128;

  private final List<LocatedFile> files = new ArrayList<>();

  /**
   * @param mayOpen whether a file can be read here
   */
  StretchPlacement(OpenReply reply, Predicate<NamedRunFile> mayOpen) {
    long[] bytes = new long[reply.getFilesCount()];
    for (PartitionState state : reply.getPartitionsList()) {
      for (LocatedStretch located : state.getLocatedList()) {
        if (located.getFile() >= 0 && located.getFile() < bytes.length) {
          bytes[located.getFile()] += located.getLength();
        }
      }
    }
    int usable = 0;
    for (int i = 0; i < bytes.length; i++) {
      NamedRunFile file = NamedRunFile.of(reply.getFiles(i));
      boolean use = usable < MAX_FILES && bytes[i] >= MIN_FILE_BYTES && mayOpen.test(file);
      files.add(use ? new LocatedFile(file) : null);
      usable += use ? 1 : 0;
    }
  }

  /** Leaves out what is lost, and says of the rest where it lies. */
  List<Stretch> place(PartitionState state, List<Stretch> wanted) {
    List<Stretch> left = wanted;
    for (LostStretch lost : state.getLostList()) {
      left = without(left, lost.getOffset(), lost.getOffset() + lost.getLength());
    }
    if (files.isEmpty() || state.getLocatedCount() == 0) {
      return left;
    }
    List<Stretch> placed = new ArrayList<>();
    for (Stretch stretch : left) {
      place(state, stretch, placed);
    }
    return placed;
  }

  private static List<Stretch> without(List<Stretch> wanted, long from, long to) {
    List<Stretch> left = new ArrayList<>();
    for (Stretch stretch : wanted) {
      Stretch.append(
          left, stretch.offset(), Math.min(stretch.end(), from) - stretch.offset(), null);
      long start = Math.max(stretch.offset(), to);
      Stretch.append(left, start, stretch.end() - start, null);
    }
    return left;
  }

  private void place(PartitionState state, Stretch stretch, List<Stretch> placed) {
    long at = stretch.offset();
    for (LocatedStretch located : state.getLocatedList()) {
      LocatedFile file = file(located);
      long from = Math.max(at, located.getOffset());
      long to = Math.min(stretch.end(), located.getOffset() + located.getLength());
      if (file == null || from >= to) {
        continue;
      }
      Stretch.append(placed, at, from - at, null);
      Place place = new Place(file, located.getFileOffset() + (from - located.getOffset()));
      Stretch.append(placed, from, to - from, place);
      at = to;
    }
    Stretch.append(placed, at, stretch.end() - at, null);
  }

  private LocatedFile file(LocatedStretch located) {
    int index = located.getFile();
    return index >= 0 && index < files.size() ? files.get(index) : null;
  }
}
