package io.sluice.mr.write;

import io.sluice.client.push.PushSession;
import io.sluice.mr.Segment;
import java.io.IOException;

/** Adds segments to a push session and numbers them. Belongs to the task thread. */
final class SegmentSink {
  private final PushSession session;
  private final int[] added;
  private long segments;
  private long bytes;

  /**
   * @param session borrows
   */
  SegmentSink(PushSession session, int partitions) {
    this.session = session;
    this.added = new int[partitions];
  }

  /**
   * Adds one segment.
   *
   * @param content borrows: room for the header, then the {@code IFile}
   * @param length of both
   * @param records among them; 0 if that is not known
   */
  void add(int partition, byte[] content, int length, boolean last, long rawLength, int records)
      throws IOException {
    new Segment(added[partition]++, last, rawLength).write(content);
    session.add(partition, content, 0, length, records);
    segments++;
    bytes += length - Segment.HEADER_BYTES;
  }

  long segments() {
    return segments;
  }

  /** Bytes of all segments without their headers. */
  long bytes() {
    return bytes;
  }
}
